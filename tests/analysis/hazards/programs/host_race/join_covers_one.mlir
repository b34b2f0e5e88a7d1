// Join covers one.
module attributes {gpu.container_module} {
  func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %a, %d : memref<8xf32>, memref<8xf32>
    %t1 = gpu.memcpy async [%s1] %b, %d : memref<8xf32>, memref<8xf32>
    %j = gpu.wait async [%t0]
    gpu.wait [%j]
    // expected-warning @+1 {{GA302: The host reads %b while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %b[%c0] : memref<8xf32>
    gpu.wait [%t0, %t1]
    return %x : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t0 = gpu.memcpy async [%s0] %a, %d : memref<8xf32>, memref<8xf32>
    %t1 = gpu.memcpy async [%s1] %b, %d : memref<8xf32>, memref<8xf32>
    %j = gpu.wait async [%t0, %t1]
    gpu.wait [%j]
    %x = memref.load %b[%c0] : memref<8xf32>
    gpu.wait [%t0, %t1]
    return %x : f32
  }
}
