// A task that never waits for its stream.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %done = async.execute {
      %t = gpu.wait async
      // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %c: its stream leaks, and nothing waits for its work.}}
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield
    }
    async.await %done : !async.token
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
    %done = async.execute {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    async.await %done : !async.token
    return
  }
}
