// Vector.transfer_write into the source of a copy.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) {
    %c16 = arith.constant 16 : index
    %v = arith.constant dense<1.0> : vector<8xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host writes %s while the gpu.memcpy that reads it may still be running.}}
    vector.transfer_write %v, %s[%c16] : vector<8xf32>, memref<64xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) {
    %c16 = arith.constant 16 : index
    %v = arith.constant dense<1.0> : vector<8xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    vector.transfer_write %v, %s[%c16] : vector<8xf32>, memref<64xf32>
    return
  }
}
