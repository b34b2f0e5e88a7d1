// An upload into the second half of a buffer.
module {
  func.func @main(%x: memref<64xf32>, %s: memref<32xf32>) {
    %v = memref.subview %x[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    %t = gpu.wait async
    // expected-error @+1 {{GA208: The offset and strides of %v are ignored: the copy fills the buffer contiguously from its first byte.}}
    %c = gpu.memcpy async [%t] %v, %s : memref<32xf32, strided<[1], offset: 32>>, memref<32xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %s: memref<32xf32>) {
    %v = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %v, %s : memref<32xf32, strided<[1]>>, memref<32xf32>
    gpu.wait [%c]
    return
  }
}
