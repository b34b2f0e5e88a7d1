// Half filled.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xf32>, %half: memref<32xf32>) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %lo = memref.subview %p[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %z = gpu.memset async [%t0] %lo, %f0 : memref<32xf32, strided<[1]>>, f32
    %q = memref.reinterpret_cast %p to offset: [32], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    // expected-warning @+1 {{GA305: This gpu.memcpy reads a part of %p that nothing has written.}}
    %c = gpu.memcpy async [%z] %half, %q : memref<32xf32>, memref<32xf32, strided<[1], offset: 32>>
    %f = gpu.dealloc async [%c] %p : memref<64xf32>
    gpu.wait [%f]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xf32>, %half: memref<32xf32>) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] () : memref<64xf32>
    %z = gpu.memset async [%t0] %p, %f0 : memref<64xf32>, f32
    %q = memref.reinterpret_cast %p to offset: [32], sizes: [32], strides: [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    %c = gpu.memcpy async [%z] %half, %q : memref<32xf32>, memref<32xf32, strided<[1], offset: 32>>
    %f = gpu.dealloc async [%c] %p : memref<64xf32>
    gpu.wait [%f]
    return
  }
}
