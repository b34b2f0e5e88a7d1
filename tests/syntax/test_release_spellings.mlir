//// PRINTF
gpu.module @m {
  gpu.func @k(%a: i32) kernel {
    gpu.printf "x %d", %a : i32
    gpu.return
  }
}
//// OPS
func.func @f(%m: memref<4xf32>, %i: index, %f: f32, %n: i32) {
  memref.assume_alignment %m, 16 : memref<4xf32>
  scf.parallel (%j) = (%i) to (%i) step (%i) {
    memref.store %f, %m[%j] : memref<4xf32>
  }
  gpu.launch blocks(%x, %y, %z) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%tx, %ty, %tz) in (%sx = %i, %sy = %i, %sz = %i) {
    %r = gpu.all_reduce %n uniform {
    ^bb0(%a: i32, %b: i32):
      "gpu.yield"(%a) : (i32) -> ()
    } : (i32) -> i32
    gpu.terminator
  }
  return
}
