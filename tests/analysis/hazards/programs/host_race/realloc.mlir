// Realloc.
module attributes {gpu.container_module} {
  func.func @f(%a: memref<64xf32>) {
    %z = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<64xf32>
    linalg.fill ins(%z : f32) outs(%m : memref<64xf32>)
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %m, %a : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host frees %m while the gpu.memcpy that writes it may still be running.}}
    %n = memref.realloc %m : memref<64xf32> to memref<128xf32>
    gpu.wait [%t]
    memref.dealloc %n : memref<128xf32>
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @f(%a: memref<64xf32>) {
    %z = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<64xf32>
    linalg.fill ins(%z : f32) outs(%m : memref<64xf32>)
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %m, %a : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    %n = memref.realloc %m : memref<64xf32> to memref<128xf32>
    memref.dealloc %n : memref<128xf32>
    return
  }
}
