// The awaited token becomes a stream.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
    %done, %v = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield %c : !gpu.async.token
    }
    %e = async.await %v : !async.value<!gpu.async.token>
    // expected-error @+1 {{GA204: %e is an event, but this gpu.memcpy uses it as its stream.}}
    %d = gpu.memcpy async [%e] %z, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%d]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
    %done, %v = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield %c : !gpu.async.token
    }
    %e = async.await %v : !async.value<!gpu.async.token>
    %s = gpu.wait async [%e]
    %d = gpu.memcpy async [%s] %z, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%d]
    return
  }
}
