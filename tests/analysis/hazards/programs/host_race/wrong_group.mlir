// Await_all of the other group.
module {
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g0 = async.create_group %c1 : !async.group
    %g1 = async.create_group %c1 : !async.group
    %a = async.execute {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    %b = async.execute {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %e, %s : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    %ia = async.add_to_group %a, %g0 : !async.token
    %ib = async.add_to_group %b, %g1 : !async.token
    async.await_all %g1
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %d[%c0] : memref<64xf32>
    async.await_all %g0
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g0 = async.create_group %c1 : !async.group
    %g1 = async.create_group %c1 : !async.group
    %a = async.execute {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    %b = async.execute {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %e, %s : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      async.yield
    }
    %ia = async.add_to_group %a, %g0 : !async.token
    %ib = async.add_to_group %b, %g1 : !async.token
    async.await_all %g0
    %x = memref.load %d[%c0] : memref<64xf32>
    async.await_all %g1
    return %x : f32
  }
}
