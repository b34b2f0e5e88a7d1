//// LAUNCH
func.func @fill(%m: memref<4xf32>, %f: f32, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
    memref.store %f, %m[%tx] : memref<4xf32>
    gpu.terminator
  }
  memref.store %f, %m[%n] : memref<4xf32>
  return
}
