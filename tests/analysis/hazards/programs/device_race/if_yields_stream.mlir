// In one branch the copy goes on the other stream.
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
    %s = scf.if %p -> (!gpu.async.token) {
      scf.yield %a : !gpu.async.token
    } else {
      scf.yield %t1 : !gpu.async.token
    }
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %x while the gpu.launch_func that writes it may still be running if %p is false.}}
    %c = gpu.memcpy async [%s] %y, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t0, %t1]
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
    %s = scf.if %p -> (!gpu.async.token) {
      scf.yield %a : !gpu.async.token
    } else {
      scf.yield %t0 : !gpu.async.token
    }
    %c = gpu.memcpy async [%s] %y, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t0, %t1]
    return
  }
}
