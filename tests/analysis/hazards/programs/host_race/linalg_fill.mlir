// Linalg fill.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %h: memref<?xf32>) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<?xf32>, memref<?xf32>
    // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that reads it may still be running.}}
    linalg.fill ins(%f0 : f32) outs(%h : memref<?xf32>)
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %h: memref<?xf32>) {
    %f0 = arith.constant 0.0 : f32
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<?xf32>, memref<?xf32>
    gpu.wait [%t]
    linalg.fill ins(%f0 : f32) outs(%h : memref<?xf32>)
    return
  }
}
