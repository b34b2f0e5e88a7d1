// Overlapping tiles across rounds.
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @tile(%m: memref<64xi32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : i32
      memref.store %z, %m[%i] : memref<64xi32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<512xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    scf.for %i = %c0 to %c256 step %c128 {
      %j = arith.addi %i, %c63 : index
      %a = memref.subview %m[%i] [64] [1] : memref<512xi32> to memref<64xi32, strided<[1], offset: ?>>
      %b = memref.subview %m[%j] [64] [1] : memref<512xi32> to memref<64xi32, strided<[1], offset: ?>>
      %k = gpu.launch_func async @km::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi32, strided<[1], offset: ?>>)
      // expected-warning @+1 {{GA301: This gpu.launch_func writes %m while the earlier gpu.launch_func that writes it may still be running.}}
      %l = gpu.launch_func async @km::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xi32, strided<[1], offset: ?>>)
      gpu.wait [%k, %l]
    }
    return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @tile(%m: memref<64xi32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : i32
      memref.store %z, %m[%i] : memref<64xi32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<512xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    scf.for %i = %c0 to %c256 step %c128 {
      %j = arith.addi %i, %c64 : index
      %a = memref.subview %m[%i] [64] [1] : memref<512xi32> to memref<64xi32, strided<[1], offset: ?>>
      %b = memref.subview %m[%j] [64] [1] : memref<512xi32> to memref<64xi32, strided<[1], offset: ?>>
      %k = gpu.launch_func async @km::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xi32, strided<[1], offset: ?>>)
      %l = gpu.launch_func async @km::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xi32, strided<[1], offset: ?>>)
      gpu.wait [%k, %l]
    }
    return
  }
}
