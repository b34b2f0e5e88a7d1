// Collapse.
module attributes {gpu.container_module} {
  func.func @main(%m: memref<8x16xf32>, %src: memref<128xf32>) -> f32 {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %flat = memref.collapse_shape %m [[0, 1]] : memref<8x16xf32> into memref<128xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %flat, %src : memref<128xf32>, memref<128xf32>
    // expected-warning @+1 {{GA302: The host reads %m while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %m[%c3, %c4] : memref<8x16xf32>
    gpu.wait [%t]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%m: memref<8x16xf32>, %src: memref<128xf32>) -> f32 {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %flat = memref.collapse_shape %m [[0, 1]] : memref<8x16xf32> into memref<128xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %flat, %src : memref<128xf32>, memref<128xf32>
    gpu.wait [%t]
    %v = memref.load %m[%c3, %c4] : memref<8x16xf32>
    return %v : f32
  }
}
