// Unregistered while the copy is under way, then rewritten.
module {
  func.func @main(%d: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 2.0 : f32
    %h = memref.alloc() : memref<64xf32>
    %u = memref.cast %h : memref<64xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %d, %h : memref<64xf32>, memref<64xf32>
    // expected-warning @+1 {{GA302: The host unregisters %h while the gpu.memcpy that reads it may still be running.}}
    gpu.host_unregister %u : memref<*xf32>
    // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that reads it may still be running.}}
    memref.store %f, %h[%c0] : memref<64xf32>
    gpu.wait [%a]
    memref.dealloc %h : memref<64xf32>
    return
  }
}
// -----
module {
  func.func @main(%d: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 2.0 : f32
    %h = memref.alloc() : memref<64xf32>
    %u = memref.cast %h : memref<64xf32> to memref<*xf32>
    gpu.host_register %u : memref<*xf32>
    %t = gpu.wait async
    %a = gpu.memcpy async [%t] %d, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%a]
    gpu.host_unregister %u : memref<*xf32>
    memref.store %f, %h[%c0] : memref<64xf32>
    memref.dealloc %h : memref<64xf32>
    return
  }
}
