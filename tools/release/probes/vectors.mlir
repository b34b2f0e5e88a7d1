// FACT vector_step: --gpu-to-llvm
// 'intrinsic': stepvector
// 'stays': ^exit 0[\s\S]*= vector\.step
// 'constant': .
func.func @f() -> vector<4xindex> {
  %v = vector.step : vector<4xindex>
  return %v : vector<4xindex>
}
// -----
// FACT positions_fold: --canonicalize
// TRUE: extract %\w+\[1\]
func.func @f(%v: vector<4xf32>) -> f32 {
  %i = arith.constant 1 : index
  %e = vector.extract %v[%i] : f32 from vector<4xf32>
  return %e : f32
}
// -----
// FACT extrema_have_new_names:
// TRUE: ^exit 0
func.func @f(%a: f32) {
  %b = arith.maximumf %a, %a : f32
  return
}
// -----
// FACT mask_sizes_are_arrays: --mlir-print-op-generic
// TRUE: mask_dim_sizes = array<i64
func.func @f() {
  %m = vector.constant_mask [2] : vector<4xi1>
  return
}
// -----
// FACT prints_vectors_by_loops: --convert-vector-to-scf
// FALSE: vector\.print %\w+ : vector
func.func @f(%v: vector<4xf32>) {
  vector.print %v : vector<4xf32>
  return
}
// -----
// FACT constant_masks_fold: --canonicalize
// TRUE: dense<true>
func.func @f() -> vector<4xi1> {
  %m = vector.constant_mask [4] : vector<4xi1>
  return %m : vector<4xi1>
}
