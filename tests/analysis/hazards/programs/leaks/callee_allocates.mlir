// Callee allocates.
module attributes {gpu.container_module} {
  func.func private @make(%n: index, %s: !gpu.async.token) -> memref<?xf32> {
    %p, %t = gpu.alloc async [%s] (%n) : memref<?xf32>
    return %p : memref<?xf32>
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    // expected-warning @+1 {{GA403: %p is never freed and does not escape: each call leaks it.}}
    %p = func.call @make(%n, %s) : (index, !gpu.async.token) -> memref<?xf32>
    %t = gpu.memcpy async [%s] %p, %h : memref<?xf32>, memref<?xf32>
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @make(%n: index, %s: !gpu.async.token) -> memref<?xf32> {
    %p, %t = gpu.alloc async [%s] (%n) : memref<?xf32>
    return %p : memref<?xf32>
  }
  func.func @main(%h: memref<?xf32>, %n: index) {
    %s = gpu.wait async
    %p = func.call @make(%n, %s) : (index, !gpu.async.token) -> memref<?xf32>
    %t = gpu.memcpy async [%s] %p, %h : memref<?xf32>, memref<?xf32>
    %t2 = gpu.dealloc async [%t] %p : memref<?xf32>
    gpu.wait [%t]
    return
  }
}
