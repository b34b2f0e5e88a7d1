// Gpu.wait without operands waits for nothing.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA210: This gpu.wait synchronizes nothing: without operands it is erased.}}
    gpu.wait
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %d[%c0] : memref<64xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %x = memref.load %d[%c0] : memref<64xf32>
    return %x : f32
  }
}
