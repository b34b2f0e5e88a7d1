// Leak in loop.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      // expected-warning @+1 {{GA403: %p is never freed and does not escape: each call leaks it.}}
      %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
      %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
      %t2 = gpu.memcpy async [%t1] %h, %p : memref<?xf32>, memref<?xf32>
      gpu.wait [%t2]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = gpu.wait async
      %p, %t0 = gpu.alloc async [%s] (%n) : memref<?xf32>
      %t1 = gpu.memcpy async [%t0] %p, %h : memref<?xf32>, memref<?xf32>
      %t2 = gpu.memcpy async [%t1] %h, %p : memref<?xf32>, memref<?xf32>
      %t3 = gpu.dealloc async [%t2] %p : memref<?xf32>
      gpu.wait [%t2]
    }
    return
  }
}
