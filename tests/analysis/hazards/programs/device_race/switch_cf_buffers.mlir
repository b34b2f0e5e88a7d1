// Cf.switch picks the buffer.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %w: i32, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %b = gpu.memcpy async [%t1] %h, %z : memref<64xf32>, memref<64xf32>
    cf.switch %w : i32, [
      default: ^go(%x : memref<64xf32>),
      1: ^go(%y : memref<64xf32>),
      2: ^go(%z : memref<64xf32>)
    ]
  ^go(%m: memref<64xf32>):
    // expected-warning @+1 {{GA301: This gpu.memset writes %m while the gpu.memcpy that reads it may still be running if %w is 2.}}
    %a = gpu.memset async [%t0] %m, %f : memref<64xf32>, f32
    gpu.wait [%a, %b]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>, %w: i32, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %b = gpu.memcpy async [%t1] %h, %z : memref<64xf32>, memref<64xf32>
    cf.switch %w : i32, [
      default: ^go(%x : memref<64xf32>),
      1: ^go(%y : memref<64xf32>),
      2: ^go(%y : memref<64xf32>)
    ]
  ^go(%m: memref<64xf32>):
    %a = gpu.memset async [%t0] %m, %f : memref<64xf32>, f32
    gpu.wait [%a, %b]
    return
  }
}
