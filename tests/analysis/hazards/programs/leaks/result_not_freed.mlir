// The caller drops a buffer that its callee allocated.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @make() -> memref<64xf32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    return %m : memref<64xf32>
  }
  func.func @main(%h: memref<64xf32>) {
    // expected-warning @+1 {{GA403: %m is never freed and does not escape: each call leaks it.}}
    %m = call @make() : () -> memref<64xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %h, %m : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
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
  func.func private @make() -> memref<64xf32> {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %k = gpu.launch_func async [%a] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    return %m : memref<64xf32>
  }
  func.func @main(%h: memref<64xf32>) {
    %m = call @make() : () -> memref<64xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %h, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%c] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
