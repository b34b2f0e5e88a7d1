// A view that was made before the dealloc is used after it.
module {
  func.func @main(%h: memref<8x8xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %v = memref.expand_shape %m [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
    %s = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    %z = gpu.dealloc async [%s] %m : memref<64xf32>
    // expected-error @+1 {{GA303: This gpu.memcpy uses %m after it was freed.}}
    %c = gpu.memcpy async [%z] %h, %v : memref<8x8xf32>, memref<8x8xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%h: memref<8x8xf32>) {
    %f = arith.constant 2.0 : f32
    %t = gpu.wait async
    %m, %a = gpu.alloc async [%t] () : memref<64xf32>
    %v = memref.expand_shape %m [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
    %s = gpu.memset async [%a] %m, %f : memref<64xf32>, f32
    %c = gpu.memcpy async [%s] %h, %v : memref<8x8xf32>, memref<8x8xf32>
    %z = gpu.dealloc async [%c] %m : memref<64xf32>
    gpu.wait [%z]
    return
  }
}
