// The host reads by a collapsed name.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<16x16xf32>, %h: memref<16x16xf32>) -> f32 {
    %c64 = arith.constant 64 : index

    %flat = memref.collapse_shape %h [[0, 1]] : memref<16x16xf32> into memref<256xf32>
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<16x16xf32>, memref<16x16xf32>
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %flat[%c64] : memref<256xf32>
    gpu.wait [%a]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<16x16xf32>, %h: memref<16x16xf32>) -> f32 {
    %c64 = arith.constant 64 : index

    %flat = memref.collapse_shape %h [[0, 1]] : memref<16x16xf32> into memref<256xf32>
    %s = gpu.wait async
    %a = gpu.memcpy async [%s] %h, %d : memref<16x16xf32>, memref<16x16xf32>
    gpu.wait [%a]
    %v = memref.load %flat[%c64] : memref<256xf32>
    return %v : f32
  }
}
