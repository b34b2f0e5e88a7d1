// Collapse tiles.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @part(%m: memref<?xf64, strided<[?], offset: ?>>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64, strided<[?], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<8x8xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = memref.collapse_shape %m [[0, 1]] : memref<8x8xf64> into memref<64xf64>
    %row = memref.subview %m[3, 0] [1, 8] [1, 1] : memref<8x8xf64> to memref<8xf64, strided<[1], offset: 24>>
    %a = memref.subview %f[31] [4] [1] : memref<64xf64> to memref<4xf64, strided<[1], offset: 31>>
    %ac = memref.cast %a : memref<4xf64, strided<[1], offset: 31>> to memref<?xf64, strided<[?], offset: ?>>
    %rc = memref.cast %row : memref<8xf64, strided<[1], offset: 24>> to memref<?xf64, strided<[?], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %nac = memref.dim %ac, %c0 : memref<?xf64, strided<[?], offset: ?>>
    %x = gpu.launch_func async [%s] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nac, %c1, %c1) args(%ac : memref<?xf64, strided<[?], offset: ?>>)
    %nrc = memref.dim %rc, %c0 : memref<?xf64, strided<[?], offset: ?>>
    // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
    %y = gpu.launch_func async [%t] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nrc, %c1, %c1) args(%rc : memref<?xf64, strided<[?], offset: ?>>)
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
  func.func @main(%m: memref<8x8xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = memref.collapse_shape %m [[0, 1]] : memref<8x8xf64> into memref<64xf64>
    %row = memref.subview %m[3, 0] [1, 8] [1, 1] : memref<8x8xf64> to memref<8xf64, strided<[1], offset: 24>>
    %a = memref.subview %f[32] [4] [1] : memref<64xf64> to memref<4xf64, strided<[1], offset: 32>>
    %ac = memref.cast %a : memref<4xf64, strided<[1], offset: 32>> to memref<?xf64, strided<[?], offset: ?>>
    %rc = memref.cast %row : memref<8xf64, strided<[1], offset: 24>> to memref<?xf64, strided<[?], offset: ?>>
    %s = gpu.wait async
    %t = gpu.wait async
    %nac = memref.dim %ac, %c0 : memref<?xf64, strided<[?], offset: ?>>
    %x = gpu.launch_func async [%s] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nac, %c1, %c1) args(%ac : memref<?xf64, strided<[?], offset: ?>>)
    %nrc = memref.dim %rc, %c0 : memref<?xf64, strided<[?], offset: ?>>
    %y = gpu.launch_func async [%t] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nrc, %c1, %c1) args(%rc : memref<?xf64, strided<[?], offset: ?>>)
    gpu.wait [%x, %y]
    return
  }
}
