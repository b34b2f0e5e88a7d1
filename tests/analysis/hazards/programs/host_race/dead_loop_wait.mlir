// Dead loop wait.
module attributes {gpu.container_module} {
  func.func @main(%n: index, %h: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
    %j = gpu.wait async
    gpu.wait [%j]
    // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %h[%c0] : memref<8xf32>
    gpu.wait [%t]
    return %x : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%n: index, %h: memref<8xf32>, %d: memref<8xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<8xf32>, memref<8xf32>
    %j = gpu.wait async [%t]
    gpu.wait [%j]
    %x = memref.load %h[%c0] : memref<8xf32>
    gpu.wait [%t]
    return %x : f32
  }
}
