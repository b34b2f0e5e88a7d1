// Freed while another stream's kernel still uses it.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<64xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %m, %a = gpu.alloc async [%t0] () : memref<64xf32>
    gpu.wait [%a]
    %k = gpu.launch_func async [%t1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    %t2 = gpu.wait async
    // expected-error @+1 {{GA303: %m is freed here while the gpu.launch_func that writes it may still be running.}}
    %z = gpu.dealloc async [%t2] %m : memref<64xf32>
    gpu.wait [%z]
    gpu.wait [%k]
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
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %m, %a = gpu.alloc async [%t0] () : memref<64xf32>
    gpu.wait [%a]
    %k = gpu.launch_func async [%t1] @k::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%m : memref<64xf32>)
    gpu.wait [%k]
    %t2 = gpu.wait async
    %z = gpu.dealloc async [%t2] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
