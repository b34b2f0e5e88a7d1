// A function puts a copy from its stack on the stream that it is given, and returns.
module attributes {gpu.container_module} {
  func.func @start(%s: !gpu.async.token, %d: memref<8xf32>, %f: f32) {
    %h = memref.alloca() : memref<8xf32>
    linalg.fill ins(%f : f32) outs(%h : memref<8xf32>)
    %c = gpu.memcpy async [%s] %d, %h : memref<8xf32>, memref<8xf32>
    // expected-warning @+1 {{GA302: The lifetime of %h ends here while the gpu.memcpy that reads it may still be running.}}
    return
  }
  func.func @main(%d: memref<8xf32>, %f: f32) {
    %s = gpu.wait async
    call @start(%s, %d, %f) : (!gpu.async.token, memref<8xf32>, f32) -> ()
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @start(%s: !gpu.async.token, %d: memref<8xf32>, %f: f32) {
    %h = memref.alloca() : memref<8xf32>
    linalg.fill ins(%f : f32) outs(%h : memref<8xf32>)
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %h : memref<8xf32>, memref<8xf32>
    gpu.wait [%c]
    return
  }
  func.func @main(%d: memref<8xf32>, %f: f32) {
    %s = gpu.wait async
    call @start(%s, %d, %f) : (!gpu.async.token, memref<8xf32>, f32) -> ()
    gpu.wait [%s]
    return
  }
}
