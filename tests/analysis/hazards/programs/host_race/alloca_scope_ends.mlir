// A copy from an alloca_scope is waited for behind it.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<8xf32>, %f: f32) {
    %s = gpu.wait async
    memref.alloca_scope {
      %h = memref.alloca() : memref<8xf32>
      linalg.fill ins(%f : f32) outs(%h : memref<8xf32>)
      // expected-warning @+2 {{GA302: The lifetime of %h ends here while the gpu.memcpy that reads it may still be running.}}
      %c = gpu.memcpy async [%s] %d, %h : memref<8xf32>, memref<8xf32>
      memref.alloca_scope.return
    }
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<8xf32>, %f: f32) {
    %s = gpu.wait async
    memref.alloca_scope {
      %h = memref.alloca() : memref<8xf32>
      linalg.fill ins(%f : f32) outs(%h : memref<8xf32>)
      %c = gpu.memcpy async [%s] %d, %h : memref<8xf32>, memref<8xf32>
      gpu.wait [%c]
      memref.alloca_scope.return
    }
    return
  }
}
