// A while loop swaps two sources of uploads, and the host stores into one.
module attributes {gpu.container_module} {
  func.func @main(%n: index, %d: memref<256xf32>, %h0: memref<256xf32>, %h1: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %r:3 = scf.while (%i = %c0, %x = %h0, %y = %h1) : (index, memref<256xf32>, memref<256xf32>) -> (index, memref<256xf32>, memref<256xf32>) {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i, %x, %y : index, memref<256xf32>, memref<256xf32>
    } do {
    ^bb0(%i: index, %x: memref<256xf32>, %y: memref<256xf32>):
      %a = gpu.memcpy async [%s] %d, %x : memref<256xf32>, memref<256xf32>
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %y, %x : index, memref<256xf32>, memref<256xf32>
    }
    // expected-warning @+1 {{GA302: In a later iteration, if %go is first true and then false, the host writes %y while the gpu.memcpy that reads it may still be running.}}
    memref.store %f, %r#2[%c0] : memref<256xf32>
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index, %d: memref<256xf32>, %h0: memref<256xf32>, %h1: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    %r:3 = scf.while (%i = %c0, %x = %h0, %y = %h1) : (index, memref<256xf32>, memref<256xf32>) -> (index, memref<256xf32>, memref<256xf32>) {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i, %x, %y : index, memref<256xf32>, memref<256xf32>
    } do {
    ^bb0(%i: index, %x: memref<256xf32>, %y: memref<256xf32>):
      %a = gpu.memcpy async [%s] %d, %x : memref<256xf32>, memref<256xf32>
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %y, %x : index, memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s]
    memref.store %f, %r#2[%c0] : memref<256xf32>
    return
  }
}
