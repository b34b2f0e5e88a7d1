// Read through the base of extract_strided_metadata.
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %base, %off, %size, %stride = memref.extract_strided_metadata %d : memref<64xf32> -> memref<f32>, index, index, index
    %r = memref.reinterpret_cast %base to offset: [0], sizes: [4, 16], strides: [16, 1] : memref<f32> to memref<4x16xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %r[%c1, %c2] : memref<4x16xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %base, %off, %size, %stride = memref.extract_strided_metadata %d : memref<64xf32> -> memref<f32>, index, index, index
    %r = memref.reinterpret_cast %base to offset: [0], sizes: [4, 16], strides: [16, 1] : memref<f32> to memref<4x16xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %x = memref.load %r[%c1, %c2] : memref<4x16xf32>
    return %x : f32
  }
}
