// The host refills the slot that was sent last, not the oldest.
module {
  func.func @main(%d: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %A = memref.alloc() : memref<64xf32>
    %B = memref.alloc() : memref<64xf32>
    linalg.fill ins(%f : f32) outs(%A : memref<64xf32>)
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%full = %A, %free = %B) -> (memref<64xf32>, memref<64xf32>) {
      %s = gpu.wait async
      %u = gpu.memcpy async [%s] %d, %full : memref<64xf32>, memref<64xf32>
      // expected-warning @+1 {{GA302: The host writes %full while the gpu.memcpy that reads it may still be running.}}
      linalg.fill ins(%f : f32) outs(%full : memref<64xf32>)
      gpu.wait [%u]
      scf.yield %free, %full : memref<64xf32>, memref<64xf32>
    }
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %A = memref.alloc() : memref<64xf32>
    %B = memref.alloc() : memref<64xf32>
    linalg.fill ins(%f : f32) outs(%A : memref<64xf32>)
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%full = %A, %free = %B) -> (memref<64xf32>, memref<64xf32>) {
      %s = gpu.wait async
      %u = gpu.memcpy async [%s] %d, %full : memref<64xf32>, memref<64xf32>
      linalg.fill ins(%f : f32) outs(%free : memref<64xf32>)
      gpu.wait [%u]
      scf.yield %free, %full : memref<64xf32>, memref<64xf32>
    }
    return
  }
}
