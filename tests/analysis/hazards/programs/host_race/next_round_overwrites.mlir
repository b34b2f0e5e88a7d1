// The next round stores into what the copy of the last one reads.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    scf.for %i = %c0 to %c8 step %c1 {
      // expected-warning @+1 {{GA302: In a later iteration, the host writes %h while the gpu.memcpy that reads it may still be running.}}
      memref.store %f, %h[%i] : memref<256xf32>
      %a = gpu.memcpy async [%s] %d, %h : memref<256xf32>, memref<256xf32>
    }
    gpu.wait [%s]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %f = arith.constant 1.0 : f32

    %s = gpu.wait async
    scf.for %i = %c0 to %c8 step %c1 {
      %q = gpu.wait async
      memref.store %f, %h[%i] : memref<256xf32>
      %a = gpu.memcpy async [%q] %d, %h : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
    }
    gpu.wait [%s]
    return
  }
}
