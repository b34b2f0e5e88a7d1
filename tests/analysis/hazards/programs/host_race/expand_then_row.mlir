// Expand then row.
module attributes {gpu.container_module} {
  gpu.module @km {
    gpu.func @tile(%m: memref<64xi32, strided<[1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %z = arith.constant 0 : i32
      memref.store %z, %m[%i] : memref<64xi32, strided<[1], offset: ?>>
      gpu.return
    }
  }
  func.func @main(%m: memref<512xi32>, %v: i32) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %e = memref.expand_shape %m [[0, 1]] output_shape [8, 64] : memref<512xi32> into memref<8x64xi32>
    %row = memref.subview %m[192] [64] [1] : memref<512xi32> to memref<64xi32, strided<[1], offset: 192>>
    %rc = memref.cast %row : memref<64xi32, strided<[1], offset: 192>> to memref<64xi32, strided<[1], offset: ?>>
    %k = gpu.launch_func async @km::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%rc : memref<64xi32, strided<[1], offset: ?>>)
    // expected-warning @+1 {{GA302: The host writes %m while the gpu.launch_func that writes it may still be running.}}
    memref.store %v, %e[%c3, %c1] : memref<8x64xi32>
    gpu.wait [%k]
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
  func.func @main(%m: memref<512xi32>, %v: i32) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %e = memref.expand_shape %m [[0, 1]] output_shape [8, 64] : memref<512xi32> into memref<8x64xi32>
    %row = memref.subview %m[192] [64] [1] : memref<512xi32> to memref<64xi32, strided<[1], offset: 192>>
    %rc = memref.cast %row : memref<64xi32, strided<[1], offset: 192>> to memref<64xi32, strided<[1], offset: ?>>
    %k = gpu.launch_func async @km::@tile blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%rc : memref<64xi32, strided<[1], offset: ?>>)
    memref.store %v, %e[%c0, %c1] : memref<8x64xi32>
    gpu.wait [%k]
    return
  }
}
