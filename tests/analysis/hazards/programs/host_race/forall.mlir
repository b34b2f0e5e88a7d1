// Forall.
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xf32>, %d: memref<64xf32>, %v: f32) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
    scf.forall (%i) in (64) {
      // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that reads it may still be running.}}
      memref.store %v, %h[%i] : memref<64xf32>
    }
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%h: memref<64xf32>, %d: memref<64xf32>, %v: f32) {
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %d, %h : memref<64xf32>, memref<64xf32>
    gpu.wait [%t]
    scf.forall (%i) in (64) {
      memref.store %v, %h[%i] : memref<64xf32>
    }
    return
  }
}
