// The wait is on the other stream.
module {
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memcpy async [%t0] %d, %s : memref<64xf32>, memref<64xf32>
    %b = gpu.memcpy async [%t1] %e, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%b]
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.memcpy that writes it may still be running.}}
    %x = memref.load %d[%c1] : memref<64xf32>
    gpu.wait [%a]
    return %x : f32
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>, %e: memref<64xf32>, %s: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %t1 = gpu.wait async
    %a = gpu.memcpy async [%t0] %d, %s : memref<64xf32>, memref<64xf32>
    %b = gpu.memcpy async [%t1] %e, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    %x = memref.load %d[%c1] : memref<64xf32>
    gpu.wait [%b]
    return %x : f32
  }
}
