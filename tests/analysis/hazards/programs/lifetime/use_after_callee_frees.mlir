// A copy after a callee freed the source.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @release(%t: !gpu.async.token, %m: memref<64xf32>) -> !gpu.async.token {
    %z = gpu.dealloc async [%t] %m : memref<64xf32>
    return %z : !gpu.async.token
  }
  func.func @main(%h: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    %z = call @release(%k, %m) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
    // expected-error @+1 {{GA303: This gpu.memcpy uses %m after it was freed.}}
    %c = gpu.memcpy async [%z] %h, %m : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
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
  func.func private @release(%t: !gpu.async.token, %m: memref<64xf32>) -> !gpu.async.token {
    %z = gpu.dealloc async [%t] %m : memref<64xf32>
    return %z : !gpu.async.token
  }
  func.func @main(%h: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    %c = gpu.memcpy async [%k] %h, %m : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %t1 = gpu.wait async
    %z = call @release(%t1, %m) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
    gpu.wait [%t1]
    return
  }
}
