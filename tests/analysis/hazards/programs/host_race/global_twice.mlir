// Two get_global of one name.
module {
  memref.global "private" @buf : memref<64xf32> = dense<0.0>
  func.func @main(%s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %g0 = memref.get_global @buf : memref<64xf32>
    %g1 = memref.get_global @buf : memref<64xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %g0, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %g0 while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %g1[%c0] : memref<64xf32>
    gpu.wait [%c]
    return %x : f32
  }
}
// -----
module {
  memref.global "private" @buf : memref<64xf32> = dense<0.0>
  func.func @main(%s: memref<64xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %g0 = memref.get_global @buf : memref<64xf32>
    %g1 = memref.get_global @buf : memref<64xf32>
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %g0, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    %x = memref.load %g1[%c0] : memref<64xf32>
    return %x : f32
  }
}
