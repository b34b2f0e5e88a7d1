// Wrong stream waited b.
module attributes {gpu.container_module} {
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %da: memref<?xf32>, %db: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %a, %da : memref<?xf32>, memref<?xf32>
    %t1 = gpu.memcpy async [%s1] %b, %db : memref<?xf32>, memref<?xf32>
    gpu.wait [%t0]
    // expected-warning @+1 {{GA302: The host reads %b while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %b[%c0] : memref<?xf32>
    gpu.wait [%t1]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %da: memref<?xf32>, %db: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %a, %da : memref<?xf32>, memref<?xf32>
    %t1 = gpu.memcpy async [%s1] %b, %db : memref<?xf32>, memref<?xf32>
    gpu.wait [%t1]
    %v = memref.load %b[%c0] : memref<?xf32>
    gpu.wait [%t0]
    return %v : f32
  }
}
