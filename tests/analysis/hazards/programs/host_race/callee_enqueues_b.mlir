// Callee enqueues b.
module attributes {gpu.container_module} {
  func.func private @download(%h: memref<?xf32>, %d: memref<?xf32>, %s: !gpu.async.token) -> !gpu.async.token {
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    return %t : !gpu.async.token
  }
  func.func @main(%h: memref<?xf32>, %d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %t = func.call @download(%h, %d, %s) : (memref<?xf32>, memref<?xf32>, !gpu.async.token) -> !gpu.async.token
    // expected-warning @+1 {{GA302: The host reads %h while work of @download that writes it may still be running.}}
    %v = memref.load %h[%c0] : memref<?xf32>
    gpu.wait [%s]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func private @download(%h: memref<?xf32>, %d: memref<?xf32>, %s: !gpu.async.token) -> !gpu.async.token {
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    return %t : !gpu.async.token
  }
  func.func @main(%h: memref<?xf32>, %d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %t = func.call @download(%h, %d, %s) : (memref<?xf32>, memref<?xf32>, !gpu.async.token) -> !gpu.async.token
    gpu.wait [%s]
    %v = memref.load %h[%c0] : memref<?xf32>
    return %v : f32
  }
}
