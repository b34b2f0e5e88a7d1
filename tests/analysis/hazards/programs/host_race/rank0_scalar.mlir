// Rank0 scalar.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @count(%a: memref<i32>) kernel {
      %one = arith.constant 1 : i32
      %r = memref.atomic_rmw addi %one, %a[] : (i32, memref<i32>) -> i32
      gpu.return
    }
  }
  func.func @main(%a: memref<i32>) -> i32 {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %p = gpu.launch_func async [] @k::@count blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<i32>)
    // expected-warning @+1 {{GA302: The host reads %a while the gpu.launch_func that atomically updates it may still be running.}}
    %v = memref.load %a[] : memref<i32>
    gpu.wait [%p]
    return %v : i32
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @count(%a: memref<i32>) kernel {
      %one = arith.constant 1 : i32
      %r = memref.atomic_rmw addi %one, %a[] : (i32, memref<i32>) -> i32
      gpu.return
    }
  }
  func.func @main(%a: memref<i32>) -> i32 {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %p = gpu.launch_func async [] @k::@count blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<i32>)
    gpu.wait [%p]
    %v = memref.load %a[] : memref<i32>
    return %v : i32
  }
}
