// Reinterpret.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<64xf32>, %o: memref<4x8xf32>) {
    %f0 = arith.constant 0.0 : f32
    %r = memref.reinterpret_cast %d to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<64xf32> to memref<4x8xf32>
    %p = memref.subview %d[0] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1]>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.memset async [%s0] %p, %f0 : memref<16xf32, strided<[1]>>, f32
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %d while the gpu.memset that writes it may still be running.}}
    %y = gpu.memcpy async [%s1] %o, %r : memref<4x8xf32>, memref<4x8xf32>
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<64xf32>, %o: memref<4x8xf32>) {
    %f0 = arith.constant 0.0 : f32
    %r0 = memref.reinterpret_cast %d to offset: [32], sizes: [4, 8], strides: [8, 1] : memref<64xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
    %p = memref.subview %d[0] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1]>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %x = gpu.memset async [%s0] %p, %f0 : memref<16xf32, strided<[1]>>, f32
    %y = gpu.memcpy async [%s1] %o, %r0 : memref<4x8xf32>, memref<4x8xf32, strided<[8, 1], offset: 32>>
    gpu.wait [%x, %y]
    return
  }
}
