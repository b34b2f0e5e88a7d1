// The buffer comes through a block argument.
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %b = gpu.memcpy async [%t1] %h, %x : memref<64xf32>, memref<64xf32>
    cf.cond_br %p, ^go(%x : memref<64xf32>), ^go(%y : memref<64xf32>)
  ^go(%m: memref<64xf32>):
    // expected-warning @+1 {{GA301: This gpu.memset writes %m while the gpu.memcpy that reads it may still be running if %p is true.}}
    %a = gpu.memset async [%t0] %m, %f : memref<64xf32>, f32
    gpu.wait [%a]
    gpu.wait [%b]
    return
  }
}
// -----
module {
  func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %p: i1, %h: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %b = gpu.memcpy async [%t1] %h, %x : memref<64xf32>, memref<64xf32>
    cf.cond_br %p, ^go(%x : memref<64xf32>), ^go(%y : memref<64xf32>)
  ^go(%m: memref<64xf32>):
    gpu.wait [%b]
    %a = gpu.memset async [%t0] %m, %f : memref<64xf32>, f32
    gpu.wait [%a]
    return
  }
}
