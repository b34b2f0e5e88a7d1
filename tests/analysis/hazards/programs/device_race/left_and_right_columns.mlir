// The two halves of a matrix overlap by a column.
module attributes {gpu.container_module} {
  gpu.module @k2 {
    gpu.func @row(%x: memref<8x16xf32, strided<[32, 1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %x[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x32xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 1.0 : f32

    %c16 = arith.constant 16 : index
    %v0 = memref.subview %x[0, 0] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1]>>
    %v1 = memref.subview %x[0, 15] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 15>>
    %d0 = memref.cast %v0 : memref<8x16xf32, strided<[32, 1]>> to memref<8x16xf32, strided<[32, 1], offset: ?>>
    %d1 = memref.cast %v1 : memref<8x16xf32, strided<[32, 1], offset: 15>> to memref<8x16xf32, strided<[32, 1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k2::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c16, %c1) args(%d0 : memref<8x16xf32, strided<[32, 1], offset: ?>>, %f : f32)
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %x while the earlier gpu.launch_func that writes it may still be running.}}
    %b = gpu.launch_func async [%s1] @k2::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c16, %c1) args(%d1 : memref<8x16xf32, strided<[32, 1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k2 {
    gpu.func @row(%x: memref<8x16xf32, strided<[32, 1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %x[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x32xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 1.0 : f32

    %c16 = arith.constant 16 : index
    %v0 = memref.subview %x[0, 0] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1]>>
    %v1 = memref.subview %x[0, 16] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 16>>
    %d0 = memref.cast %v0 : memref<8x16xf32, strided<[32, 1]>> to memref<8x16xf32, strided<[32, 1], offset: ?>>
    %d1 = memref.cast %v1 : memref<8x16xf32, strided<[32, 1], offset: 16>> to memref<8x16xf32, strided<[32, 1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k2::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c16, %c1) args(%d0 : memref<8x16xf32, strided<[32, 1], offset: ?>>, %f : f32)
    %b = gpu.launch_func async [%s1] @k2::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c16, %c1) args(%d1 : memref<8x16xf32, strided<[32, 1], offset: ?>>, %f : f32)
    gpu.wait [%a, %b]
    return
  }
}
