// The buffer is one of two.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %m = arith.select %p, %x, %y : memref<64xf32>
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memset async [%t0] %m, %f : memref<64xf32>, f32
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %y while the gpu.memset that writes it may still be running if %p is false.}}
    %b = gpu.memcpy async [%t1] %h, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a, %b]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %m = arith.select %p, %x, %y : memref<64xf32>
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memset async [%t0] %m, %f : memref<64xf32>, f32
    %j = gpu.wait async [%t1, %a]
    %b = gpu.memcpy async [%j] %h, %y : memref<64xf32>, memref<64xf32>
    gpu.wait [%a, %b, %t1]
    return
  }
}
