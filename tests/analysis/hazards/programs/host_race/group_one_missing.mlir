// Group one missing.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %g: memref<?xf32>, %d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %grp = async.create_group %c1 : !async.group
    %tok = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    %tok2 = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %g, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    %i = async.add_to_group %tok, %grp : !async.token
    async.await_all %grp
    // expected-warning @+1 {{GA302: The host reads %g while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %g[%c0] : memref<?xf32>
    async.await %tok2 : !async.token
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<?xf32>, %g: memref<?xf32>, %d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %grp = async.create_group %c1 : !async.group
    %tok = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    %tok2 = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %g, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    %i = async.add_to_group %tok, %grp : !async.token
    async.await_all %grp
    async.await %tok2 : !async.token
    %v = memref.load %g[%c0] : memref<?xf32>
    return %v : f32
  }
}
