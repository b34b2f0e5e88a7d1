// Strided even even.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @part(%m: memref<?xf64, strided<[?], offset: ?>>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64, strided<[?], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<64xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.subview %m[0] [32] [2] : memref<64xf64> to memref<32xf64, strided<[2]>>
    %b = memref.subview %m[4] [30] [2] : memref<64xf64> to memref<30xf64, strided<[2], offset: 4>>
    %ac = memref.cast %a : memref<32xf64, strided<[2]>> to memref<?xf64, strided<[?], offset: ?>>
    %bc = memref.cast %b : memref<30xf64, strided<[2], offset: 4>> to memref<?xf64, strided<[?], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %nac = memref.dim %ac, %c0 : memref<?xf64, strided<[?], offset: ?>>
    %x = gpu.launch_func async [%s] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nac, %c1, %c1) args(%ac : memref<?xf64, strided<[?], offset: ?>>)
    %nbc = memref.dim %bc, %c0 : memref<?xf64, strided<[?], offset: ?>>
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %y = gpu.launch_func async [%t] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nbc, %c1, %c1) args(%bc : memref<?xf64, strided<[?], offset: ?>>)
    gpu.wait [%x, %y]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @part(%m: memref<?xf64, strided<[?], offset: ?>>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64, strided<[?], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<64xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.subview %m[0] [32] [2] : memref<64xf64> to memref<32xf64, strided<[2]>>
    %b = memref.subview %m[5] [29] [2] : memref<64xf64> to memref<29xf64, strided<[2], offset: 5>>
    %ac = memref.cast %a : memref<32xf64, strided<[2]>> to memref<?xf64, strided<[?], offset: ?>>
    %bc = memref.cast %b : memref<29xf64, strided<[2], offset: 5>> to memref<?xf64, strided<[?], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %nac = memref.dim %ac, %c0 : memref<?xf64, strided<[?], offset: ?>>
    %x = gpu.launch_func async [%s] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nac, %c1, %c1) args(%ac : memref<?xf64, strided<[?], offset: ?>>)
    %nbc = memref.dim %bc, %c0 : memref<?xf64, strided<[?], offset: ?>>
    %y = gpu.launch_func async [%t] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nbc, %c1, %c1) args(%bc : memref<?xf64, strided<[?], offset: ?>>)
    gpu.wait [%x, %y]
    return
  }
}
