// The host reads shared memory that is freed.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main() -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %m = gpu.alloc host_shared () : memref<64xf32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    %t1 = gpu.wait async
    %z = gpu.dealloc async [%t1] %m : memref<64xf32>
    gpu.wait [%z]
    // expected-error @+1 {{GA303: This memref.load uses %m after it was freed.}}
    %x = memref.load %m[%c0] : memref<64xf32>
    return %x : f32
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
  func.func @main() -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %m = gpu.alloc host_shared () : memref<64xf32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    %x = memref.load %m[%c0] : memref<64xf32>
    %t1 = gpu.wait async
    %z = gpu.dealloc async [%t1] %m : memref<64xf32>
    gpu.wait [%z]
    return %x : f32
  }
}
