// Freed by the buffer's name and by that of its cast.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @dd(%x: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %u = memref.cast %m : memref<64xf32> to memref<?xf32>
    %k = gpu.launch_func async [%a] @k::@dd blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%u : memref<?xf32>)
    %z = gpu.dealloc async [%k] %m : memref<64xf32>
    // expected-error @+1 {{GA304: %m is freed again here.}}
    %y = gpu.dealloc async [%z] %u : memref<?xf32>
    gpu.wait [%y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @dd(%x: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 1.0 : f32
      memref.store %v, %x[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %u = memref.cast %m : memref<64xf32> to memref<?xf32>
    %k = gpu.launch_func async [%a] @k::@dd blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%u : memref<?xf32>)
    %z = gpu.dealloc async [%k] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
