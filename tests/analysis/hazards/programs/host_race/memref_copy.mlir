// Memref copy.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %h: memref<?xf32>, %g: memref<?xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    memref.copy %h, %g : memref<?xf32> to memref<?xf32>
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %h: memref<?xf32>, %g: memref<?xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%t]
    memref.copy %h, %g : memref<?xf32> to memref<?xf32>
    return
  }
}
