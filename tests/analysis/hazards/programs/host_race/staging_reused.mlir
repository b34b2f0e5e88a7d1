// One staging buffer, rewritten while the copy of the round before reads it.
module {
  func.func @main(%d: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %h = memref.alloc() : memref<64xf32>
    %t0 = gpu.wait async
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t0) -> (!gpu.async.token) {
      // expected-warning @+1 {{GA302: In a later iteration, the host writes %h while the gpu.memcpy that reads it may still be running.}}
      memref.store %f, %h[%c0] : memref<64xf32>
      %c = gpu.memcpy async [%p] %d, %h : memref<64xf32>, memref<64xf32>
      scf.yield %c : !gpu.async.token
    }
    gpu.wait [%t0]
    memref.dealloc %h : memref<64xf32>
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %h = memref.alloc() : memref<64xf32>
    %t0 = gpu.wait async
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%p = %t0) -> (!gpu.async.token) {
      memref.store %f, %h[%c0] : memref<64xf32>
      %q = gpu.wait async
      %c = gpu.memcpy async [%q] %d, %h : memref<64xf32>, memref<64xf32>
      gpu.wait [%c]
      scf.yield %p : !gpu.async.token
    }
    gpu.wait [%t0]
    memref.dealloc %h : memref<64xf32>
    return
  }
}
