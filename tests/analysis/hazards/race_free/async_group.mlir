module attributes {gpu.container_module} {

  func.func @main(%h: memref<8x256xf32>, %x: memref<8x256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index

    %g = async.create_group %c8 : !async.group
    scf.for %i = %c0 to %c8 step %c1 {
      %t = async.execute {
        scf.for %j = %c0 to %c256 step %c1 {
          %v = memref.load %h[%i, %j] : memref<8x256xf32>
          %w = arith.mulf %v, %v : f32
          memref.store %w, %x[%i, %j] : memref<8x256xf32>
        }
        async.yield
      }
      %id = async.add_to_group %t, %g : !async.token
    }
    async.await_all %g
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %x : memref<8x256xf32>, memref<8x256xf32>
    gpu.wait [%a]
    %r = memref.load %h[%c0, %c1] : memref<8x256xf32>
    return %r : f32
  }
}
