// Workspace view.
module attributes {gpu.container_module} {
  func.func @main(%ws: memref<4096xi8>, %src: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %o = arith.constant 256 : index
    %view = memref.view %ws[%o][] : memref<4096xi8> to memref<64xf32>
    %same = memref.view %ws[%o][] : memref<4096xi8> to memref<8x8xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %view, %src : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host reads %ws while the gpu.memcpy that writes it may still be running.}}
    %v = memref.load %same[%c1, %c2] : memref<8x8xf32>
    gpu.wait [%t]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%ws: memref<4096xi8>, %src: memref<64xf32>) -> f32 {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %o = arith.constant 256 : index
    %view = memref.view %ws[%o][] : memref<4096xi8> to memref<64xf32>
    %same = memref.view %ws[%o][] : memref<4096xi8> to memref<8x8xf32>
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %view, %src : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    %v = memref.load %same[%c1, %c2] : memref<8x8xf32>
    return %v : f32
  }
}
