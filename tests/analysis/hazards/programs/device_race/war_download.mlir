// A memset overtakes the download.
module {
  func.func @main(%h: memref<64xf32>, %m: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memcpy async [%t0] %h, %m : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA301: This gpu.memset writes %m while the gpu.memcpy that reads it may still be running.}}
    %b = gpu.memset async [%t1] %m, %f : memref<64xf32>, f32
    gpu.wait [%a, %b]
    return
  }
}
// -----
module {
  func.func @main(%h: memref<64xf32>, %m: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memcpy async [%t0] %h, %m : memref<64xf32>, memref<64xf32>
    %j = gpu.wait async [%a, %t1]
    %b = gpu.memset async [%j] %m, %f : memref<64xf32>, f32
    gpu.wait [%a, %b, %t1]
    return
  }
}
