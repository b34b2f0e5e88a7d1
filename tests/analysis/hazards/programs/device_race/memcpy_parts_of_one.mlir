// Memcpy parts of one.
module attributes {gpu.container_module} {
  func.func @main(%buf: memref<128xf32>, %x: memref<64xf32>, %y: memref<64xf32>) {
    %f0 = arith.constant 0.0 : f32
    %lo = memref.subview %buf[32] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 32>>
    %hi = memref.subview %buf[0] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1]>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %x, %lo : memref<64xf32>, memref<64xf32, strided<[1], offset: 32>>
    // expected-warning @+1 {{GA301: This gpu.memset writes %buf while the gpu.memcpy that reads it may still be running.}}
    %t1 = gpu.memset async [%s1] %hi, %f0 : memref<64xf32, strided<[1]>>, f32
    gpu.wait [%t0, %t1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%buf: memref<128xf32>, %x: memref<64xf32>, %y: memref<64xf32>) {
    %f0 = arith.constant 0.0 : f32
    %lo = memref.subview %buf[64] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
    %hi = memref.subview %buf[0] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1]>>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %x, %lo : memref<64xf32>, memref<64xf32, strided<[1], offset: 64>>
    %t1 = gpu.memset async [%s1] %hi, %f0 : memref<64xf32, strided<[1]>>, f32
    gpu.wait [%t0, %t1]
    return
  }
}
