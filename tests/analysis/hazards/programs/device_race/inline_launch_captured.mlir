// Inline launch captured.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %o: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f1 = arith.constant 1.0 : f32
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %v = memref.cast %d : memref<?xf32> to memref<64xf32>
    %t = gpu.launch async [%s0] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
      memref.store %f1, %v[%tx] : memref<64xf32>
      gpu.terminator
    }
    // expected-warning @+1 {{GA301: This gpu.memcpy reads %d while the gpu.launch that writes it may still be running.}}
    %u = gpu.memcpy async [%s1] %o, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%s0, %s1]
    return
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>, %o: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f1 = arith.constant 1.0 : f32
    %s0 = gpu.wait async
    %s1 = gpu.wait async
    %v = memref.cast %d : memref<?xf32> to memref<64xf32>
    %t = gpu.launch async [%s0] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
      memref.store %f1, %v[%tx] : memref<64xf32>
      gpu.terminator
    }
    %u = gpu.memcpy async [%t] %o, %d : memref<?xf32>, memref<?xf32>
    gpu.wait [%s0, %s1]
    return
  }
}
