// [n, 2n) against [n, 2n) instead of [0, n).
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @dyn(%x: memref<?xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %x[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %v = memref.subview %x[%n] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %w = memref.subview %x[%n] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %a = gpu.launch_func async @k::@dyn blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%v : memref<?xf32, strided<[1], offset: ?>>)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async @k::@dyn blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%w : memref<?xf32, strided<[1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @dyn(%x: memref<?xf32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %v = arith.constant 3.0 : f32
      memref.store %v, %x[%i] : memref<?xf32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %v = memref.subview %x[%n] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %w0 = memref.subview %x[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %w = memref.cast %w0 : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
    %a = gpu.launch_func async @k::@dyn blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%v : memref<?xf32, strided<[1], offset: ?>>)
    %b = gpu.launch_func async @k::@dyn blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%w : memref<?xf32, strided<[1], offset: ?>>)
    gpu.wait [%a, %b]
    return
  }
}
