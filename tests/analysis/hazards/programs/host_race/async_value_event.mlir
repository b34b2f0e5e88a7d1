// Async value event.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %tok, %val = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
      async.yield %t : !gpu.async.token
    }
    %e = async.await %val : !async.value<!gpu.async.token>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %h[%c0] : memref<8xf32>
    gpu.wait [%e]
    return %x : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %tok, %val = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
      async.yield %t : !gpu.async.token
    }
    %e = async.await %val : !async.value<!gpu.async.token>
    gpu.wait [%e]
    %x = memref.load %h[%c0] : memref<8xf32>
    return %x : f32
  }
}
