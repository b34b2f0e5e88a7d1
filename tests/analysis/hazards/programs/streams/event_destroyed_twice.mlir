// One awaited event joins two streams.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %w: memref<64xf32>) {
    %done, %v = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield %c : !gpu.async.token
    }
    %e = async.await %v : !async.value<!gpu.async.token>
    %s0 = gpu.wait async [%e]
    %d = gpu.memcpy async [%s0] %z, %y : memref<64xf32>, memref<64xf32>
    // expected-error @+1 {{GA206: %e is destroyed again here: each gpu.wait destroys the events among its operands.}}
    %s1 = gpu.wait async [%e]
    %g = gpu.memcpy async [%s1] %w, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%d, %g]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %w: memref<64xf32>) {
    %done, %v = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield %c : !gpu.async.token
    }
    %e = async.await %v : !async.value<!gpu.async.token>
    %s0 = gpu.wait async [%e]
    %d = gpu.memcpy async [%s0] %z, %y : memref<64xf32>, memref<64xf32>
    %s1 = gpu.wait async [%d]
    %g = gpu.memcpy async [%s1] %w, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%d, %g]
    return
  }
}
