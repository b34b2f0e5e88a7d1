// A scratch buffer of a helper is never freed.
module {
  func.func private @scratch(%t: !gpu.async.token, %x: memref<64xf32>) -> !gpu.async.token {
    // expected-warning @+1 {{GA403: %s is never freed and does not escape: each call leaks it.}}
    %s, %a = gpu.alloc async [%t] () : memref<64xf32>
    %c = gpu.memcpy async [%a] %s, %x : memref<64xf32>, memref<64xf32>
    %d = gpu.memcpy async [%c] %x, %s : memref<64xf32>, memref<64xf32>
    return %d : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.wait async
      %e = func.call @scratch(%t, %x) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
      gpu.wait [%t]
    }
    return
  }
}
// -----
module {
  func.func private @scratch(%t: !gpu.async.token, %x: memref<64xf32>) -> !gpu.async.token {
    %s, %a = gpu.alloc async [%t] () : memref<64xf32>
    %c = gpu.memcpy async [%a] %s, %x : memref<64xf32>, memref<64xf32>
    %d = gpu.memcpy async [%c] %x, %s : memref<64xf32>, memref<64xf32>
    %z = gpu.dealloc async [%d] %s : memref<64xf32>
    return %z : !gpu.async.token
  }
  func.func @main(%x: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %t = gpu.wait async
      %e = func.call @scratch(%t, %x) : (!gpu.async.token, memref<64xf32>) -> !gpu.async.token
      gpu.wait [%t]
    }
    return
  }
}
