// A callee waits for the caller's stream as for an event.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @finish(%t: !gpu.async.token, %x: memref<64xf32>, %y: memref<64xf32>) {
    // expected-error @+1 {{GA203: ... treats %t as an event, but a caller in this file passes a stream: mgpuEventSynchronize gets a stream.}}
    gpu.wait [%t]
    return
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    call @finish(%a, %x, %y) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
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
  func.func private @finish(%t: !gpu.async.token, %x: memref<64xf32>, %y: memref<64xf32>) {
    %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
    return
  }
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %a = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>)
    call @finish(%a, %x, %y) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> ()
    gpu.wait [%a]
    return
  }
}
