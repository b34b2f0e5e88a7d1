// Global result.
module attributes {gpu.container_module} {
  memref.global @result : memref<64xf32> = uninitialized
  func.func private @peek() -> f32 {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @result : memref<64xf32>
    %v = memref.load %g[%c0] : memref<64xf32>
    return %v : f32
  }
  func.func @main(%dev: memref<64xf32>) -> f32 {
    %g = memref.get_global @result : memref<64xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %g, %dev : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %g while the gpu.memcpy that writes it may still be running.}}
    %v = func.call @peek() : () -> f32
    gpu.wait [%t]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  memref.global @result : memref<64xf32> = uninitialized
  func.func private @peek() -> f32 {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @result : memref<64xf32>
    %v = memref.load %g[%c0] : memref<64xf32>
    return %v : f32
  }
  func.func @main(%dev: memref<64xf32>) -> f32 {
    %g = memref.get_global @result : memref<64xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %g, %dev : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    %v = func.call @peek() : () -> f32
    return %v : f32
  }
}
