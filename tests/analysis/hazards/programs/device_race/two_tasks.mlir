// Two tasks, the second without a dependency on the first.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %d0 = async.execute {
      %s = gpu.wait async
      %c = gpu.memset async [%s] %x, %f : memref<64xf32>, f32
      gpu.wait [%c]
      async.yield
    }
    %d1 = async.execute {
      %s = gpu.wait async
      // expected-warning @+1 {{GA301: This gpu.memcpy reads %x while the gpu.memset that writes it may still be running.}}
      %c = gpu.memcpy async [%s] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    async.await %d0 : !async.token
    async.await %d1 : !async.token
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %d0 = async.execute {
      %s = gpu.wait async
      %c = gpu.memset async [%s] %x, %f : memref<64xf32>, f32
      gpu.wait [%c]
      async.yield
    }
    %d1 = async.execute [%d0] {
      %s = gpu.wait async
      %c = gpu.memcpy async [%s] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    async.await %d0 : !async.token
    async.await %d1 : !async.token
    return
  }
}
