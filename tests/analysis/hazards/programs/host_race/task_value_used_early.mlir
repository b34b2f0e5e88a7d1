// A task writes host memory that the caller overwrites meanwhile.
module {
  func.func @main(%d: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %tok, %val = async.execute -> !async.value<f32> {
      %x = memref.load %d[%c0] : memref<64xf32>
      memref.store %f, %d[%c1] : memref<64xf32>
      async.yield %x : f32
    }
    // expected-warning @+1 {{GA302: The host writes %d while the earlier memref.store that writes it may still be running.}}
    memref.store %f, %d[%c1] : memref<64xf32>
    %w = async.await %val : !async.value<f32>
    return %w : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 2.0 : f32
    %tok, %val = async.execute -> !async.value<f32> {
      %x = memref.load %d[%c0] : memref<64xf32>
      memref.store %f, %d[%c1] : memref<64xf32>
      async.yield %x : f32
    }
    %w = async.await %val : !async.value<f32>
    memref.store %f, %d[%c1] : memref<64xf32>
    return %w : f32
  }
}
