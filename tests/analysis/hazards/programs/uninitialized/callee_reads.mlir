// A callee downloads what nobody has written.
module {
  func.func private @download(%t: !gpu.async.token, %m: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
    %c = gpu.memcpy async [%t] %h, %m : memref<64xf32>, memref<64xf32>
    return %c : !gpu.async.token
  }
  func.func @main(%h: memref<64xf32>) {
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    // expected-warning @+1 {{GA305: This func.call reads %m, which nothing has written.}}
    %c = call @download(%a, %m, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
    %z = gpu.dealloc async [%c] %m : memref<64xf32>
    gpu.wait [%t]
    return
  }
}
// -----
module {
  func.func private @download(%t: !gpu.async.token, %m: memref<64xf32>, %h: memref<64xf32>) -> !gpu.async.token {
    %c = gpu.memcpy async [%t] %h, %m : memref<64xf32>, memref<64xf32>
    return %c : !gpu.async.token
  }
  func.func @main(%h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %s = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    %c = call @download(%s, %m, %h) : (!gpu.async.token, memref<64xf32>, memref<64xf32>) -> !gpu.async.token
    %z = gpu.dealloc async [%c] %m : memref<64xf32>
    gpu.wait [%t]
    return
  }
}
