//// PRINTS
func.func @main() {
  %c = arith.constant 7 : index
  vector.print %c : index
  return
}
//// SCHEDULED
module attributes {transform.with_named_sequence} {
  func.func @main(%a: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
      gpu.terminator
    }
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    transform.yield
  }
}
