// Leak stream returned early.
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<8xf32>, %d: memref<8xf32>) {
    %s = gpu.wait async
    // expected-warning @+1 {{GA401: No blocking gpu.wait waits for %t if %c is true: its stream leaks there, and nothing waits for its work.}}
    %t = gpu.memcpy async [%s] %d, %h : memref<8xf32>, memref<8xf32>
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    return
  ^bb2:
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%c: i1, %h: memref<8xf32>, %d: memref<8xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<8xf32>, memref<8xf32>
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    gpu.wait [%t]
    return
  ^bb2:
    gpu.wait [%t]
    return
  }
}
