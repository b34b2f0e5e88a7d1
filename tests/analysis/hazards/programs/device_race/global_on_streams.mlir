// Global on streams.
module attributes {gpu.container_module} {
  memref.global @scratch : memref<64xf32> = uninitialized
  func.func private @zero(%s: !gpu.async.token) -> !gpu.async.token {
    %f0 = arith.constant 0.0 : f32
    %g = memref.get_global @scratch : memref<64xf32>
    %t = gpu.memset async [%s] %g, %f0 : memref<64xf32>, f32
    return %t : !gpu.async.token
  }
  func.func @main(%o: memref<64xf32>) {
    %g = memref.get_global @scratch : memref<64xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t = func.call @zero(%s0) : (!gpu.async.token) -> !gpu.async.token
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %g while work of @zero that writes it may still be running.}}
    %u = gpu.memcpy async [%s1] %o, %g : memref<64xf32>, memref<64xf32>
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  memref.global @scratch : memref<64xf32> = uninitialized
  func.func private @zero(%s: !gpu.async.token) -> !gpu.async.token {
    %f0 = arith.constant 0.0 : f32
    %g = memref.get_global @scratch : memref<64xf32>
    %t = gpu.memset async [%s] %g, %f0 : memref<64xf32>, f32
    return %t : !gpu.async.token
  }
  func.func @main(%o: memref<64xf32>) {
    %g = memref.get_global @scratch : memref<64xf32>
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %t = func.call @zero(%s0) : (!gpu.async.token) -> !gpu.async.token
    %u = gpu.memcpy async [%s0] %o, %g : memref<64xf32>, memref<64xf32>
    gpu.wait [%s0, %s1]
    return
  }
}
