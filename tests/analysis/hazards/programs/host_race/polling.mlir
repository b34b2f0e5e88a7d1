// The condition of scf.while polls what the kernel writes.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @flag(%x: memref<1xi32>) kernel {
      %z = arith.constant 0 : index
      %v = arith.constant 1 : i32
      memref.store %v, %x[%z] : memref<1xi32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i0 = arith.constant 0 : i32
    %m = memref.alloc() : memref<1xi32>
    %u = memref.cast %m : memref<1xi32> to memref<*xi32>
    gpu.host_register %u : memref<*xi32>
    memref.store %i0, %m[%c0] : memref<1xi32>
    scf.while : () -> () {
      %t = gpu.wait async
      %k = gpu.launch_func async [%t] @k::@flag blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<1xi32>)
      // expected-warning @+1 {{GA302: The host reads %m while the gpu.launch_func that writes it may still be running.}}
      %x = memref.load %m[%c0] : memref<1xi32>
      gpu.wait [%k]
      %more = arith.cmpi eq, %x, %i0 : i32
      scf.condition(%more)
    } do {
      scf.yield
    }
    return
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
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i0 = arith.constant 0 : i32
    %m = memref.alloc() : memref<1xi32>
    %u = memref.cast %m : memref<1xi32> to memref<*xi32>
    gpu.host_register %u : memref<*xi32>
    memref.store %i0, %m[%c0] : memref<1xi32>
    scf.while : () -> () {
      %t = gpu.wait async
      %k = gpu.launch_func async [%t] @k::@flag blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<1xi32>)
      gpu.wait [%k]
      %x = memref.load %m[%c0] : memref<1xi32>
      %more = arith.cmpi eq, %x, %i0 : i32
      scf.condition(%more)
    } do {
      scf.yield
    }
    return
  }
}
