// A task stores into what another one downloads.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32

    %t0 = async.execute {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      async.yield
    }
    %t1 = async.execute {
      // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that writes it may still be running.}}
      memref.store %f, %h[%c1] : memref<256xf32>
      async.yield
    }
    async.await %t1 : !async.token
    async.await %t0 : !async.token
    %v = memref.load %h[%c1] : memref<256xf32>
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32

    %t0 = async.execute {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      async.yield
    }
    %t1 = async.execute [%t0] {
      memref.store %f, %h[%c1] : memref<256xf32>
      async.yield
    }
    async.await %t1 : !async.token
    async.await %t0 : !async.token
    %v = memref.load %h[%c1] : memref<256xf32>
    return %v : f32
  }
}
