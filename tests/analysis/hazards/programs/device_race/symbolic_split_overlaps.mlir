// Symbolic split overlaps.
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @dyn(%m: memref<?xi32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : i32
      memref.store %z, %m[%i] : memref<?xi32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?xi32>, %n: index, %k: index) {
    %c1 = arith.constant 1 : index
    %k1 = arith.addi %k, %c1 : index
    %lo = memref.subview %m[0] [%k1] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
    %loc = memref.cast %lo : memref<?xi32, strided<[1]>> to memref<?xi32, strided<[1], offset: ?>>
    %hi = memref.subview %m[%k] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
    %a = gpu.launch_func async @km::@dyn blocks in (%c1, %c1, %c1) threads in (%k1, %c1, %c1) args(%loc : memref<?xi32, strided<[1], offset: ?>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @km::@dyn blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%hi : memref<?xi32, strided<[1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @dyn(%m: memref<?xi32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : i32
      memref.store %z, %m[%i] : memref<?xi32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?xi32>, %n: index, %k: index) {
    %c1 = arith.constant 1 : index
    %k1 = arith.addi %k, %c1 : index
    %lo = memref.subview %m[0] [%k] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
    %loc = memref.cast %lo : memref<?xi32, strided<[1]>> to memref<?xi32, strided<[1], offset: ?>>
    %hi = memref.subview %m[%k] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
    %a = gpu.launch_func async @km::@dyn blocks in (%c1, %c1, %c1) threads in (%k, %c1, %c1) args(%loc : memref<?xi32, strided<[1], offset: ?>>)
    %b = gpu.launch_func async @km::@dyn blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%hi : memref<?xi32, strided<[1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
