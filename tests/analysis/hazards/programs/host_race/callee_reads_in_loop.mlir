// A callee reads element i of a buffer that a copy of the same round writes.
module {
  func.func private @at(%m: memref<64xf32>, %i: index) -> f32 {
    %x = memref.load %m[%i] : memref<64xf32>
    return %x : f32
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
      // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
      %x = func.call @at(%d, %i) : (memref<64xf32>, index) -> f32
      gpu.wait [%c]
      %y = arith.addf %acc, %x : f32
      scf.yield %y : f32
    }
    return %r : f32
  }
}
// -----
module {
  func.func private @at(%m: memref<64xf32>, %i: index) -> f32 {
    %x = memref.load %m[%i] : memref<64xf32>
    return %x : f32
  }
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> (f32) {
      %t = gpu.wait async
      %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      %x = func.call @at(%d, %i) : (memref<64xf32>, index) -> f32
      %y = arith.addf %acc, %x : f32
      scf.yield %y : f32
    }
    return %r : f32
  }
}
