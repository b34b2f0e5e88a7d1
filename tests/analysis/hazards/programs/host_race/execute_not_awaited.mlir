// Execute not awaited.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %tok = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %h[%c0] : memref<?xf32>
    async.await %tok : !async.token
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %tok = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    async.await %tok : !async.token
    %v = memref.load %h[%c0] : memref<?xf32>
    return %v : f32
  }
}
