// Memref.reshape with a shape operand.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %shape = memref.alloca() : memref<2xindex>
    memref.store %c8, %shape[%c0] : memref<2xindex>
    memref.store %c8, %shape[%c1] : memref<2xindex>
    %m = memref.reshape %d(%shape) : (memref<64xf32>, memref<2xindex>) -> memref<8x8xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %m[%c0, %c1] : memref<8x8xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %shape = memref.alloca() : memref<2xindex>
    memref.store %c8, %shape[%c0] : memref<2xindex>
    memref.store %c8, %shape[%c1] : memref<2xindex>
    %m = memref.reshape %d(%shape) : (memref<64xf32>, memref<2xindex>) -> memref<8x8xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %x = memref.load %m[%c0, %c1] : memref<8x8xf32>
    return %x : f32
  }
}
