// Async nested.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %outer = async.execute {
      %inner = async.execute {
        %s = gpu.wait async
        %t = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
        gpu.wait [%t]
        async.yield
      }
      async.yield
    }
    async.await %outer : !async.token
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %h[%c0] : memref<8xf32>
    return %x : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %outer = async.execute {
      %inner = async.execute {
        %s = gpu.wait async
        %t = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
        gpu.wait [%t]
        async.yield
      }
      async.await %inner : !async.token
      async.yield
    }
    async.await %outer : !async.token
    %x = memref.load %h[%c0] : memref<8xf32>
    return %x : f32
  }
}
