// Leak on early return.
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %p does not escape, and is not freed if %c is true: such a call leaks it.}}
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    cf.cond_br %c, ^early, ^rest
  ^early:
    gpu.wait [%t1]
    return
  ^rest:
    %t2 = gpu.memcpy async [%t1] %h, %p : memref<?xf32>, memref<?xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<?xf32>
    gpu.wait [%t3]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
    %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
    cf.cond_br %c, ^early, ^rest
  ^early:
    %f = gpu.dealloc async [%t1] %p : memref<?xf32>
    gpu.wait [%t1]
    return
  ^rest:
    %t2 = gpu.memcpy async [%t1] %h, %p : memref<?xf32>, memref<?xf32>
    %t3 = gpu.dealloc async [%t2] %p : memref<?xf32>
    gpu.wait [%t3]
    return
  }
}
