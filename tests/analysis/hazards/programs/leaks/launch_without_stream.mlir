// A launch with its body in place makes a stream of its own, which nothing waits for.
func.func @fills(%x: memref<4xf32>, %f: f32) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-warning @+1 {{GA401: No blocking gpu.wait ever waits for %t: its stream leaks, and nothing waits for its work.}}
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c4, %ly = %c1, %lz = %c1) {
    memref.store %f, %x[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}

// -----

func.func @fills(%x: memref<4xf32>, %f: f32) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%lx = %c4, %ly = %c1, %lz = %c1) {
    memref.store %f, %x[%tx] : memref<4xf32>
    gpu.terminator
  }
  gpu.wait [%t]
  return
}
