// Tile next round.
module attributes {gpu.container_module} {
  gpu.module @kern {
    gpu.func @part(%m: memref<?xf64, strided<[?], offset: ?>>) kernel {
      %i = gpu.global_id x
      %z = arith.constant 0.0 : f64
      memref.store %z, %m[%i] : memref<?xf64, strided<[?], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<?xf64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %n step %c8 {
      %a = memref.subview %m[%i] [9] [1] : memref<?xf64> to memref<9xf64, strided<[1], offset: ?>>
      %j = arith.addi %i, %c8 : index
      %b = memref.subview %m[%j] [8] [1] : memref<?xf64> to memref<8xf64, strided<[1], offset: ?>>
      %ac = memref.cast %a : memref<9xf64, strided<[1], offset: ?>> to memref<?xf64, strided<[?], offset: ?>>
      %bc = memref.cast %b : memref<8xf64, strided<[1], offset: ?>> to memref<?xf64, strided<[?], offset: ?>>
      %s = gpu.wait async
      %t = gpu.wait async
      %nac = memref.dim %ac, %c0 : memref<?xf64, strided<[?], offset: ?>>
      %x = gpu.launch_func async [%s] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nac, %c1, %c1) args(%ac : memref<?xf64, strided<[?], offset: ?>>)
      %nbc = memref.dim %bc, %c0 : memref<?xf64, strided<[?], offset: ?>>
      // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
      %y = gpu.launch_func async [%t] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nbc, %c1, %c1) args(%bc : memref<?xf64, strided<[?], offset: ?>>)
      gpu.wait [%x, %y]
    }
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
  func.func @main(%m: memref<?xf64>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %n step %c8 {
      %a = memref.subview %m[%i] [8] [1] : memref<?xf64> to memref<8xf64, strided<[1], offset: ?>>
      %j = arith.addi %i, %c8 : index
      %b = memref.subview %m[%j] [8] [1] : memref<?xf64> to memref<8xf64, strided<[1], offset: ?>>
      %ac = memref.cast %a : memref<8xf64, strided<[1], offset: ?>> to memref<?xf64, strided<[?], offset: ?>>
      %bc = memref.cast %b : memref<8xf64, strided<[1], offset: ?>> to memref<?xf64, strided<[?], offset: ?>>
      %s = gpu.wait async
      %t = gpu.wait async
      %nac = memref.dim %ac, %c0 : memref<?xf64, strided<[?], offset: ?>>
      %x = gpu.launch_func async [%s] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nac, %c1, %c1) args(%ac : memref<?xf64, strided<[?], offset: ?>>)
      %nbc = memref.dim %bc, %c0 : memref<?xf64, strided<[?], offset: ?>>
      %y = gpu.launch_func async [%t] @kern::@part blocks in (%c1, %c1, %c1) threads in (%nbc, %c1, %c1) args(%bc : memref<?xf64, strided<[?], offset: ?>>)
      gpu.wait [%x, %y]
    }
    return
  }
}
