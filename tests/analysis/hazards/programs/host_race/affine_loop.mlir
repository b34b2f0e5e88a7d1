// Affine loop.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<64xf32>, %h: memref<64xf32>) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
    affine.for %i = 0 to 64 {
      // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that reads it may still be running.}}
      affine.store %f0, %h[%i] : memref<64xf32>
    }
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<64xf32>, %h: memref<64xf32>) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    affine.for %i = 0 to 64 {
      affine.store %f0, %h[%i] : memref<64xf32>
    }
    return
  }
}
