// Inline launch.
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    %t = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
      memref.store %f1, %d[%tx] : memref<?xf32>
      gpu.terminator
    }
    // expected-warning @+1 {{GA302: The host reads %d while the gpu.launch that writes it may still be running.}}
    %v = memref.load %d[%c0] : memref<?xf32>
    gpu.wait [%t]
    return %v : f32
  }
}
// -----
module attributes {gpu.container_module} {
  func.func @main(%d: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %f1 = arith.constant 1.0 : f32
    %s = gpu.wait async
    %t = gpu.launch async [%s] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c32, %ly = %c1, %lz = %c1) {
      memref.store %f1, %d[%tx] : memref<?xf32>
      gpu.terminator
    }
    gpu.wait [%t]
    %v = memref.load %d[%c0] : memref<?xf32>
    return %v : f32
  }
}
