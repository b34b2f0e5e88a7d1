//// SCALE
func.func @scale(%x: memref<?x4xf32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.dim %x, %c0 : memref<?x4xf32>
  %u = memref.cast %x : memref<?x4xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %m, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %f = arith.sitofp %n : i32 to f32
    %v = memref.load %x[%bx, %tx] : memref<?x4xf32>
    %w = arith.mulf %v, %f : f32
    memref.store %w, %x[%bx, %tx] : memref<?x4xf32>
    gpu.terminator
  }
  gpu.host_unregister %u : memref<*xf32>
  return %n : i32
}
func.func @twice(%n: i32) -> i32 {
  %r = arith.addi %n, %n : i32
  return %r : i32
}
