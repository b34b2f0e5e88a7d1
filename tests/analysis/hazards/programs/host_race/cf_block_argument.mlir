// Cf block argument.
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %d: memref<?xf32>, %h0: memref<?xf32>, %h1: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    cf.cond_br %c, ^one(%h0 : memref<?xf32>), ^one(%h1 : memref<?xf32>)
  ^one(%h: memref<?xf32>):
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %h[%c0] : memref<?xf32>
    gpu.wait [%t]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %d: memref<?xf32>, %h0: memref<?xf32>, %h1: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    cf.cond_br %c, ^one(%h0 : memref<?xf32>), ^one(%h1 : memref<?xf32>)
  ^one(%h: memref<?xf32>):
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%t]
    %v = memref.load %h[%c0] : memref<?xf32>
    return %v : f32
  }
}
