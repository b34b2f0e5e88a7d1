// Free before copy back.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    %t2 = gpu.dealloc async [%t1] %p : memref<?xf32>
    // expected-error @+1 {{GA303: This gpu.memcpy uses %p after it was freed.}}
    %t3 = gpu.memcpy async [%t2] %h, %p : memref<?xf32>, memref<?xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    %t3 = gpu.memcpy async [%t1] %h, %p : memref<?xf32>, memref<?xf32>
    %t2 = gpu.dealloc async [%t3] %p : memref<?xf32>
    gpu.wait [%t2]
    return
  }
}
