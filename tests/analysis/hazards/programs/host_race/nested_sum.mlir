// A nested loop sums what the outer one has not waited for.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index

    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %zero) -> (f32) {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
      %q = scf.for %j = %c0 to %c256 step %c1 iter_args(%acc = %o) -> (f32) {
        // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
        %v = memref.load %h[%j] : memref<256xf32>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      gpu.wait [%a]
      scf.yield %q : f32
    }
    return %r : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<256xf32>, %h: memref<256xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index

    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %zero) -> (f32) {
      %s = gpu.wait async
      %a = gpu.memcpy async [%s] %h, %d : memref<256xf32>, memref<256xf32>
      gpu.wait [%a]
      %q = scf.for %j = %c0 to %c256 step %c1 iter_args(%acc = %o) -> (f32) {
        %v = memref.load %h[%j] : memref<256xf32>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      scf.yield %q : f32
    }
    return %r : f32
  }
}
