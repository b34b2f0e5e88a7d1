//// ASSERTION
func.func @f(%i: index, %b: i1) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%tx, %ty, %tz) in (%sx = %i, %sy = %i, %sz = %i) {
    cf.assert %b, "no"
    gpu.terminator
  }
  return
}
//// KERNEL_ASSERTION
gpu.module @m {
  gpu.func @k(%b: i1) kernel {
    cf.assert %b, "no"
    gpu.return
  }
}
