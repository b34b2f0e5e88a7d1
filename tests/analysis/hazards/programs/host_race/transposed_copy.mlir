// Memref.copy through a transposed view.
module {
  func.func @main(%d: memref<8x8xf32>, %s: memref<8x8xf32>, %e: memref<8x8xf32>) {
    %v = memref.transpose %d (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<8x8xf32>, memref<8x8xf32>
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    memref.copy %v, %e : memref<8x8xf32, strided<[1, 8]>> to memref<8x8xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<8x8xf32>, %s: memref<8x8xf32>, %e: memref<8x8xf32>) {
    %v = memref.transpose %d (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<8x8xf32>, memref<8x8xf32>
    gpu.wait [%c]
    memref.copy %v, %e : memref<8x8xf32, strided<[1, 8]>> to memref<8x8xf32>
    return
  }
}
