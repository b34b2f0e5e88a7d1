// Linalg.fill of the source of a copy under way.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    linalg.fill ins(%f : f32) outs(%s : memref<64xf32>)
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host writes %s while the gpu.memcpy that reads it may still be running.}}
    linalg.fill ins(%f : f32) outs(%s : memref<64xf32>)
    gpu.wait [%t]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    linalg.fill ins(%f : f32) outs(%s : memref<64xf32>)
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    linalg.fill ins(%f : f32) outs(%s : memref<64xf32>)
    return
  }
}
