// Copy subview.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xf32>, %d: memref<64xf32>, %o: memref<8xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<64xf32>, memref<64xf32>
    %v = memref.subview %h[8] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    memref.copy %v, %o : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32>
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xf32>, %d: memref<64xf32>, %o: memref<8xf32>) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    %v = memref.subview %h[8] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
    memref.copy %v, %o : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32>
    return
  }
}
