// A task's stream and the caller's touch one buffer.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %done = async.execute {
      %s = gpu.wait async
      %c = gpu.memset async [%s] %x, %f : memref<64xf32>, f32
      gpu.wait [%c]
      async.yield
    }
    %t = gpu.wait async
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %x while the gpu.memset that writes it may still be running.}}
    %a = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    async.await %done : !async.token
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %done = async.execute {
      %s = gpu.wait async
      %c = gpu.memset async [%s] %x, %f : memref<64xf32>, f32
      gpu.wait [%c]
      async.yield
    }
    async.await %done : !async.token
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    return
  }
}
