// Tasks of all rounds download into one buffer, and nobody awaits them.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<8x256xf32>, %h: memref<8x256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index

    %g = async.create_group %c8 : !async.group
    scf.for %i = %c0 to %c8 step %c1 {
      %t = async.execute {
        %s = gpu.wait async
        // expected-warning @+1 {{GA301: This gpu.memcpy writes %h while the same op of an earlier iteration may still be running.}}
        %a = gpu.memcpy async [%s] %h, %d : memref<8x256xf32>, memref<8x256xf32>
        gpu.wait [%a]
        async.yield
      }
      %id = async.add_to_group %t, %g : !async.token
    }
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %h[%c0, %c1] : memref<8x256xf32>
    async.await_all %g
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<8x256xf32>, %h: memref<8x256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index

    %g = async.create_group %c8 : !async.group
    scf.for %i = %c0 to %c8 step %c1 {
      %t = async.execute {
        %s = gpu.wait async
        %a = gpu.memcpy async [%s] %h, %d : memref<8x256xf32>, memref<8x256xf32>
        gpu.wait [%a]
        async.yield
      }
      async.await %t : !async.token
      %id = async.add_to_group %t, %g : !async.token
    }
    async.await_all %g
    %v = memref.load %h[%c0, %c1] : memref<8x256xf32>
    return %v : f32
  }
}
