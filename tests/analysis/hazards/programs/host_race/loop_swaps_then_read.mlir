// A loop swaps two staging buffers, and the host reads a result of it.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h0: memref<256xf32>, %h1: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index

    %s = gpu.wait async
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %h0, %y = %h1) -> (memref<256xf32>, memref<256xf32>) {
      %a = gpu.memcpy async [%s] %x, %d : memref<256xf32>, memref<256xf32>
      scf.yield %y, %x : memref<256xf32>, memref<256xf32>
    }
    // expected-warning @+1 {{GA302: The host reads %r#1 while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %r#1[%c4] : memref<256xf32>
    gpu.wait [%s]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h0: memref<256xf32>, %h1: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index

    %s = gpu.wait async
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %h0, %y = %h1) -> (memref<256xf32>, memref<256xf32>) {
      %a = gpu.memcpy async [%s] %x, %d : memref<256xf32>, memref<256xf32>
      scf.yield %y, %x : memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s]
    %v = memref.load %r#1[%c4] : memref<256xf32>
    return %v : f32
  }
}
