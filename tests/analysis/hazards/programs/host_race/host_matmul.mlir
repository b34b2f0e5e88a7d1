// Host matmul.
module attributes {gpu.container_module} {
  func.func @main(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>, %d: memref<8x8xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %b, %d : memref<8x8xf32>, memref<8x8xf32>
    // expected-warning @+1 {{GA302: The host reads %b while the gpu.memcpy that writes it may still be running.}}
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>, %d: memref<8x8xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %b, %d : memref<8x8xf32>, memref<8x8xf32>
    gpu.wait [%t]
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
    return
  }
}
