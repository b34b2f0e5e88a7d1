// A vector read of what a copy writes.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> vector<4xf32> {
    %c4 = arith.constant 4 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %v = vector.load %d[%c4] : memref<64xf32>, vector<4xf32>
    gpu.wait [%c]
    return %v : vector<4xf32>
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> vector<4xf32> {
    %c4 = arith.constant 4 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %v = vector.load %d[%c4] : memref<64xf32>, vector<4xf32>
    return %v : vector<4xf32>
  }
}
