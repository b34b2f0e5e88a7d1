// Free other stream b.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %s1 = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    // expected-error @+1 {{GA303: %p is freed here while the gpu.memcpy that writes it may still be running.}}
    %t2 = gpu.dealloc async [%s1] %p : memref<?xf32>
    gpu.wait [%t1]
    gpu.wait [%t2]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %s1 = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    %j = gpu.wait async [%s1, %t1]
    %t2 = gpu.dealloc async [%j] %p : memref<?xf32>
    gpu.wait [%t1]
    gpu.wait [%t2]
    gpu.wait [%s1]
    return
  }
}
