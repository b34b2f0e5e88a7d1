// The token is chosen by arith.select.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %b = gpu.launch_func async [%t1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    %s = arith.select %p, %a, %b : !gpu.async.token
    %o = arith.select %p, %b, %a : !gpu.async.token
    // expected-error @+2 {{GA203: ... treats %o as an event, but it may be a stream: mgpuEventSynchronize gets a stream.}}
    // expected-error @+1 {{GA203: ... treats %s as an event, but it may be a stream: mgpuEventSynchronize gets a stream.}}
    gpu.wait [%s, %o]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.launch_func async [%t0] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    %b = gpu.launch_func async [%t1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    gpu.wait [%a, %b]
    return
  }
}
