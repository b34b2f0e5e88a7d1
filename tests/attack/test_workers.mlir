//// ENDLESS
func.func @main() {
  %c = arith.constant 1 : index
  gpu.launch blocks(%a, %b, %d) in (%e = %c, %f = %c, %g = %c)
             threads(%h, %i, %j) in (%k = %c, %l = %c, %m = %c) {
    cf.br ^again
  ^again:
    gpu.barrier
    cf.br ^again
  }
  return
}
