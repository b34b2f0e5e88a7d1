module attributes {gpu.container_module} {
  gpu.module @k3 {
    gpu.func @plane(%x: memref<1x8x8xf32, strided<[64, 8, 1], offset: ?>>, %v: f32) kernel {
      %c0 = arith.constant 0 : index
      %i = gpu.thread_id x
      %j = gpu.thread_id y
      memref.store %v, %x[%c0, %i, %j] : memref<1x8x8xf32, strided<[64, 8, 1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%x: memref<8x8x8xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 1.0 : f32

    %lo = memref.subview %x[0, 0, 0] [1, 8, 8] [1, 1, 1] : memref<8x8x8xf32> to memref<1x8x8xf32, strided<[64, 8, 1]>>
    %hi = memref.subview %x[7, 0, 0] [1, 8, 8] [1, 1, 1] : memref<8x8x8xf32> to memref<1x8x8xf32, strided<[64, 8, 1], offset: 448>>
    %l = memref.cast %lo : memref<1x8x8xf32, strided<[64, 8, 1]>> to memref<1x8x8xf32, strided<[64, 8, 1], offset: ?>>
    %u = memref.cast %hi : memref<1x8x8xf32, strided<[64, 8, 1], offset: 448>> to memref<1x8x8xf32, strided<[64, 8, 1], offset: ?>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    scf.for %i = %c0 to %n step %c1 {
      %a = gpu.launch_func async [%s0] @k3::@plane blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%l : memref<1x8x8xf32, strided<[64, 8, 1], offset: ?>>, %f : f32)
      %b = gpu.launch_func async [%s1] @k3::@plane blocks in (%c1, %c1, %c1) threads in (%c8, %c8, %c1) args(%u : memref<1x8x8xf32, strided<[64, 8, 1], offset: ?>>, %f : f32)
      %v = memref.load %x[%c4, %c0, %c1] : memref<8x8x8xf32>
      memref.store %v, %x[%c2, %c0, %c1] : memref<8x8x8xf32>
    }
    gpu.wait [%s0, %s1]
    %v = memref.load %x[%c0, %c0, %c1] : memref<8x8x8xf32>
    memref.store %v, %x[%c2, %c0, %c1] : memref<8x8x8xf32>
    return
  }
}
