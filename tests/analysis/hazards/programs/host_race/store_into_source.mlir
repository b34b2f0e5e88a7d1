// Host overwrites the source of a copy under way.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) {
    %c8 = arith.constant 8 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host writes %s while the gpu.memcpy that reads it may still be running.}}
    memref.store %f, %s[%c8] : memref<64xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) {
    %c8 = arith.constant 8 : index
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    memref.store %f, %s[%c8] : memref<64xf32>
    return
  }
}
