// Host dealloc pending.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %h = memref.alloc(%n) : memref<?xf32>
    memref.store %f0, %h[%c0] : memref<?xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<?xf32>, memref<?xf32>
    // expected-warning @+1 {{GA302: The host frees %h while the gpu.memcpy that reads it may still be running.}}
    memref.dealloc %h : memref<?xf32>
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %f0 = arith.constant 0.0 : f32
    %h = memref.alloc(%n) : memref<?xf32>
    memref.store %f0, %h[%c0] : memref<?xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<?xf32>, memref<?xf32>
    gpu.wait [%t]
    memref.dealloc %h : memref<?xf32>
    return
  }
}
