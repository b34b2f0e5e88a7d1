// Parallel host loop.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %h: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      // expected-warning @+1 {{GA302: The host reads %h while the gpu.memcpy that writes it may still be running.}}
      %v = memref.load %h[%i] : memref<?xf32>
      %w = arith.addf %v, %f1 : f32
      // expected-warning @+1 {{GA302: The host writes %h while the gpu.memcpy that writes it may still be running.}}
      memref.store %w, %h[%i] : memref<?xf32>
      scf.reduce
    }
    gpu.wait [%t]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %h: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    %t = gpu.memcpy async [%s] %h, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%t]
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %v = memref.load %h[%i] : memref<?xf32>
      %w = arith.addf %v, %f1 : f32
      memref.store %w, %h[%i] : memref<?xf32>
      scf.reduce
    }
    return
  }
}
