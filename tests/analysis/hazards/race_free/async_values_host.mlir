module attributes {gpu.container_module} {
  func.func private @pre(%h: memref<256xf32>) -> f32 {
    %i = arith.constant 3 : index
    %v = memref.load %h[%i] : memref<256xf32>
    return %v : f32
  }
  func.func @main(%x: memref<256xf32>, %h0: memref<256xf32>, %h1: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32

    %t, %v = async.execute -> !async.value<f32> {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h0, %x : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      %w = func.call @pre(%h0) : (memref<256xf32>) -> f32
      async.yield %w : f32
    }
    memref.store %f, %h1[%c0] : memref<256xf32>
    %u = async.execute [%t] {
      %w = memref.load %h1[%c0] : memref<256xf32>
      memref.store %w, %h0[%c0] : memref<256xf32>
      async.yield
    }
    %r = async.await %v : !async.value<f32>
    async.await %u : !async.token
    %q = memref.load %h0[%c0] : memref<256xf32>
    %z = arith.addf %q, %r : f32
    return %z : f32
  }
}
