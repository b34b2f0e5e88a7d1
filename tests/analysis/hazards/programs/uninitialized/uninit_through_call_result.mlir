// A callee allocates, nobody writes, the caller reads.
module {
  func.func private @make(%t: !gpu.async.token) -> (memref<64xf32>, !gpu.async.token) {
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    return %m, %a : memref<64xf32>, !gpu.async.token
  }
  func.func @main(%o: memref<64xf32>) {
    %t = gpu.wait async
    %m, %a = call @make(%t) : (!gpu.async.token) -> (memref<64xf32>, !gpu.async.token)
    // expected-warning @+1 {{GA305: This gpu.memcpy reads %m, which nothing has written.}}
    %d = gpu.memcpy async [%a] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    gpu.wait [%t]
    return
  }
}
// -----
module {
  func.func private @make(%t: !gpu.async.token) -> (memref<64xf32>, !gpu.async.token) {
    %f = arith.constant 2.0 : f32
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %b = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    return %m, %b : memref<64xf32>, !gpu.async.token
  }
  func.func @main(%o: memref<64xf32>) {
    %t = gpu.wait async
    %m, %a = call @make(%t) : (!gpu.async.token) -> (memref<64xf32>, !gpu.async.token)
    %d = gpu.memcpy async [%a] %o, %m : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %m : memref<64xf32>
    gpu.wait [%t]
    return
  }
}
