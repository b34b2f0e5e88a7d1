// What is copied may be what another stream clears.
module attributes {gpu.container_module} {

  func.func @main(%c: i1, %x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>, %h: memref<256xf32>) {
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %b = arith.select %c, %x, %y : memref<256xf32>
    %a = gpu.memset async [%s0] %x, %f : memref<256xf32>, f32
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %b while the gpu.memset that writes it may still be running if %c is true.}}
    %m = gpu.memcpy async [%s1] %h, %b : memref<256xf32>, memref<256xf32>
    gpu.wait [%a, %m]
    return
  }
}
// -----
module attributes {gpu.container_module} {

  func.func @main(%c: i1, %x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>, %h: memref<256xf32>) {
    %f = arith.constant 1.0 : f32

    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %b = arith.select %c, %z, %y : memref<256xf32>
    %a = gpu.memset async [%s0] %x, %f : memref<256xf32>, f32
    %m = gpu.memcpy async [%s1] %h, %b : memref<256xf32>, memref<256xf32>
    gpu.wait [%a, %m]
    return
  }
}
