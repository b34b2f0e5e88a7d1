// Affine.load of the copied element.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = affine.load %d[63] : memref<64xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %x = affine.load %d[63] : memref<64xf32>
    return %x : f32
  }
}
