// Only one of the two tasks is in the group.
module {
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %g = async.create_group %c2 : !async.group
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
    %ia = async.add_to_group %a, %g : !async.token
    %ib = async.add_to_group %a, %g : !async.token
    async.await_all %g
    // expected-warning @+1 {{GA302: The host reads %e while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %e[%c0] : memref<64xf32>
    async.await %b : !async.token
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %g = async.create_group %c2 : !async.group
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
    %ia = async.add_to_group %a, %g : !async.token
    %ib = async.add_to_group %b, %g : !async.token
    async.await_all %g
    %x = memref.load %e[%c0] : memref<64xf32>
    return %x : f32
  }
}
