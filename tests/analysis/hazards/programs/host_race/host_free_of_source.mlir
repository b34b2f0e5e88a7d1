// Memref.dealloc of the source of a copy under way.
module {
  func.func @main(%d: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %s = memref.alloc() : memref<64xf32>
    linalg.fill ins(%f : f32) outs(%s : memref<64xf32>)
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host frees %s while the gpu.memcpy that reads it may still be running.}}
    memref.dealloc %s : memref<64xf32>
    gpu.wait [%c]
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>) {
    %f = arith.constant 2.0 : f32
    %s = memref.alloc() : memref<64xf32>
    linalg.fill ins(%f : f32) outs(%s : memref<64xf32>)
    %t = gpu.wait async
    %c = gpu.memcpy async [%t] %d, %s : memref<64xf32>, memref<64xf32>
    gpu.wait [%c]
    memref.dealloc %s : memref<64xf32>
    return
  }
}
