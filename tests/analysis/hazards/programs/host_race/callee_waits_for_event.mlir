// The host reads what an async.execute copies, and a helper would have waited for its event.
module {
  func.func private @finish(%e: !gpu.async.token) {
    gpu.wait [%e]
    return
  }
  func.func private @library(%e: !gpu.async.token)
  func.func @main(%h: memref<64xf32>, %d: memref<64xf32>, %o: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %done, %value = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<64xf32>, memref<64xf32>
      async.yield %t : !gpu.async.token
    }
    %e = async.await %value : !async.value<!gpu.async.token>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %h[%c0] : memref<64xf32>
    call @finish(%e) : (!gpu.async.token) -> ()
    %done2, %value2 = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %o, %d : memref<64xf32>, memref<64xf32>
      async.yield %t : !gpu.async.token
    }
    %e2 = async.await %value2 : !async.value<!gpu.async.token>
    // expected-warning @+1 {{GA302: The host reads %o while the gpu.memcpy that writes it may still be running.}}
    %y = memref.load %o[%c0] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    call @library(%e2) : (!gpu.async.token) -> ()
    return %z : f32
  }
}
// -----
module {
  func.func private @finish(%e: !gpu.async.token) {
    gpu.wait [%e]
    return
  }
  func.func private @library(%e: !gpu.async.token)
  func.func @main(%h: memref<64xf32>, %d: memref<64xf32>, %o: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %done, %value = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<64xf32>, memref<64xf32>
      async.yield %t : !gpu.async.token
    }
    %e = async.await %value : !async.value<!gpu.async.token>
    call @finish(%e) : (!gpu.async.token) -> ()
    %x = memref.load %h[%c0] : memref<64xf32>
    %done2, %value2 = async.execute -> !async.value<!gpu.async.token> {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %o, %d : memref<64xf32>, memref<64xf32>
      async.yield %t : !gpu.async.token
    }
    %e2 = async.await %value2 : !async.value<!gpu.async.token>
    call @library(%e2) : (!gpu.async.token) -> ()
    %y = memref.load %o[%c0] : memref<64xf32>
    %z = arith.addf %x, %y : f32
    return %z : f32
  }
}
