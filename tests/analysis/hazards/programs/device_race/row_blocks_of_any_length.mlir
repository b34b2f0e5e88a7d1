// Blocks of so many rows, of so many elements; the second begins in the last row of the first.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %f: f32) kernel {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      memref.store %f, %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?x?xf32>, %i: index, %n: index, %w: index, %f: f32) {
    %c1 = arith.constant 1 : index
    %end = arith.addi %i, %n : index
    %last = arith.subi %end, %c1 : index
    %x = memref.subview %m[%i, 0] [%n, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %y = memref.subview %m[%last, 0] [%n, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%n, %c1, %c1) threads in (%w, %c1, %c1) args(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%t] @k::@fill blocks in (%n, %c1, %c1) threads in (%w, %c1, %c1) args(%y : memref<?x?xf32, strided<[?, 1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @fill(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %f: f32) kernel {
      %i = gpu.block_id x
      %j = gpu.thread_id x
      memref.store %f, %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?x?xf32>, %i: index, %n: index, %w: index, %f: f32) {
    %c1 = arith.constant 1 : index
    %end = arith.addi %i, %n : index
    %x = memref.subview %m[%i, 0] [%n, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %y = memref.subview %m[%end, 0] [%n, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %a = gpu.launch_func async [%s] @k::@fill blocks in (%n, %c1, %c1) threads in (%w, %c1, %c1) args(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%t] @k::@fill blocks in (%n, %c1, %c1) threads in (%w, %c1, %c1) args(%y : memref<?x?xf32, strided<[?, 1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
