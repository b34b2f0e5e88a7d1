// An affine loop stores into the source of an upload.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) {
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
    affine.for %i = 0 to 256 {
      // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that reads it may still be running.}}
      affine.store %f, %h[%i] : memref<256xf32>
    }
    gpu.wait [%a]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) {
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
    gpu.wait [%a]
    affine.for %i = 0 to 256 {
      affine.store %f, %h[%i] : memref<256xf32>
    }
    return
  }
}
