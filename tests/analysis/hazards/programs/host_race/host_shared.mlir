// Managed memory read before the kernel is done.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @flag(%x: memref<1xi32>) kernel {
      %z = arith.constant 0 : index
      %v = arith.constant 1 : i32
      memref.store %v, %x[%z] : memref<1xi32>
      gpu.return
    }
  }
  func.func @main() -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = gpu.alloc host_shared () : memref<1xi32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@flag blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<1xi32>)
    // expected-warning @+1 {{GA302: The host reads %m while the gpu.launch_func that writes it may still be running.}}
    %x = memref.load %m[%c0] : memref<1xi32>
    gpu.wait [%k]
    %t1 = gpu.wait async
    %z = gpu.dealloc async [%t1] %m : memref<1xi32>
    gpu.wait [%z]
    return %x : i32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @flag(%x: memref<1xi32>) kernel {
      %z = arith.constant 0 : index
      %v = arith.constant 1 : i32
      memref.store %v, %x[%z] : memref<1xi32>
      gpu.return
    }
  }
  func.func @main() -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = gpu.alloc host_shared () : memref<1xi32>
    %t = gpu.wait async
    %k = gpu.launch_func async [%t] @k::@flag blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<1xi32>)
    gpu.wait [%k]
    %x = memref.load %m[%c0] : memref<1xi32>
    %t1 = gpu.wait async
    %z = gpu.dealloc async [%t1] %m : memref<1xi32>
    gpu.wait [%z]
    return %x : i32
  }
}
