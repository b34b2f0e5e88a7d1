// The rows i and i of a matrix instead of i and i+1.
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @row(%x: memref<1x8xf32, strided<[8, 1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 2.0 : f32
      memref.store %v, %x[%z, %i] : memref<1x8xf32, strided<[8, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %i1 = arith.addi %n, %c1 : index
    %v = memref.subview %x[%n, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %w = memref.subview %x[%n, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %a = gpu.launch_func async @k::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%v : memref<1x8xf32, strided<[8, 1], offset: ?>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @k::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%w : memref<1x8xf32, strided<[8, 1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @row(%x: memref<1x8xf32, strided<[8, 1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : index
      %v = arith.constant 2.0 : f32
      memref.store %v, %x[%z, %i] : memref<1x8xf32, strided<[8, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %i1 = arith.addi %n, %c1 : index
    %v = memref.subview %x[%n, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %w = memref.subview %x[%i1, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %a = gpu.launch_func async @k::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%v : memref<1x8xf32, strided<[8, 1], offset: ?>>)
    %b = gpu.launch_func async @k::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%w : memref<1x8xf32, strided<[8, 1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
