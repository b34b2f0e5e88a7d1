module attributes {gpu.container_module} {
  gpu.module @k2 {
    gpu.func @row(%x: memref<8x16xf32, strided<[32, 1], offset: ?>>, %v: f32) kernel {
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %x[%i, %j] : memref<8x16xf32, strided<[32, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x32xf32>, %y: memref<8x32xf32>) {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 1.0 : f32

    %v0 = memref.subview %x[0, 0] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1]>>
    %d0 = memref.cast %v0 : memref<8x16xf32, strided<[32, 1]>> to memref<8x16xf32, strided<[32, 1], offset: ?>>
    %v1 = memref.subview %x[0, 16] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 16>>
    %v2 = memref.subview %y[0, 16] [8, 16] [1, 1] : memref<8x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 16>>
    %s0 = gpu.wait async
    %a = gpu.launch_func async [%s0] @k2::@row blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%d0 : memref<8x16xf32, strided<[32, 1], offset: ?>>, %f : f32)
    memref.copy %v1, %v2 : memref<8x16xf32, strided<[32, 1], offset: 16>> to memref<8x16xf32, strided<[32, 1], offset: 16>>
    %c20 = arith.constant 20 : index
    memref.store %f, %x[%c4, %c20] : memref<8x32xf32>
    gpu.wait [%a]
    memref.store %f, %x[%c4, %c4] : memref<8x32xf32>
    return
  }
}
