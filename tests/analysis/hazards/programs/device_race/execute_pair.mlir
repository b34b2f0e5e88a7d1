// Execute pair.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xf32>) {
    %t1 = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %d, %a : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    %t2 = async.execute {
      %s = gpu.wait async
      // expected-warning @+1 {{GA301: This gpu.memcpy reads %d while the earlier gpu.memcpy that writes it may still be running.}}
      %t = gpu.memcpy async [%s] %b, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    async.await %t1 : !async.token
    async.await %t2 : !async.token
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xf32>) {
    %t1 = async.execute {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %d, %a : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    %t2 = async.execute [%t1] {
      %s = gpu.wait async
      %t = gpu.memcpy async [%s] %b, %d : memref<?xf32>, memref<?xf32>
      gpu.wait [%t]
      async.yield
    }
    async.await %t1 : !async.token
    async.await %t2 : !async.token
    return
  }
}
