//// TEXT

func.func @main(%x: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %v = memref.load %x[%tx] : memref<4xf32>
    %w = arith.mulf %v, %v : f32
    memref.store %w, %x[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}
