// An awaited event is waited for in a branch and after it.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1) {
    %done, %v = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield %c : !gpu.async.token
    }
    %e = async.await %v : !async.value<!gpu.async.token>
    scf.if %p {
      gpu.wait [%e]
    }
    // expected-error @+1 {{GA206: %e is destroyed again here if %p is true: each gpu.wait destroys the events among its operands.}}
    gpu.wait [%e]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1) {
    %done, %v = async.execute -> !async.value<!gpu.async.token> {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %y, %x : memref<64xf32>, memref<64xf32>
      async.yield %c : !gpu.async.token
    }
    %e = async.await %v : !async.value<!gpu.async.token>
    gpu.wait [%e]
    return
  }
}
