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
// -----
// FACT broadcasts_scalars: --gpu-to-llvm
// FALSE: vector\.broadcast
func.func @f(%x: f32) -> vector<4xf32> {
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT unit_transposes_fold: --canonicalize
// FALSE: vector\.transpose
func.func @f(%v: vector<1x1xf32>) -> vector<1x1xf32> {
  %0 = vector.transpose %v, [1, 0] : vector<1x1xf32> to vector<1x1xf32>
  return %0 : vector<1x1xf32>
}
// -----
// FACT step_intrinsic: --convert-vector-to-llvm
// 'llvm.intr.stepvector': llvm\.intr\.stepvector
// 'llvm.intr.experimental.stepvector': experimental\.stepvector
func.func @f() -> vector<[4]xindex> {
  %0 = vector.step : vector<[4]xindex>
  return %0 : vector<[4]xindex>
}
// -----
// FACT unrolls_bitcasts: --convert-vector-to-llvm
// TRUE: llvm\.bitcast
func.func @f(%v: vector<2x4xf32>) -> vector<2x4xi32> {
  %0 = vector.bitcast %v : vector<2x4xf32> to vector<2x4xi32>
  return %0 : vector<2x4xi32>
}
// -----
// FACT bounds_masks: --convert-vector-to-llvm
// TRUE: minsi|smin
func.func @f(%n: index) -> vector<8xi1> {
  %0 = vector.create_mask %n : vector<8xi1>
  return %0 : vector<8xi1>
}
// -----
// FACT builtin_vectors_of_pointers: --convert-vector-to-llvm
// TRUE: vector<4x!llvm\.ptr>
func.func @f(%m: memref<16xf32>, %i: index, %v: vector<4xi32>, %k: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {
  %0 = vector.gather %m[%i][%v], %k, %p : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT shuffles_lose_poison: --canonicalize
// TRUE: \[0, -1\]|\[-1|\[0, 1, -1
func.func @f(%v: vector<2xf32>) -> vector<3xf32> {
  %p = ub.poison : vector<2xf32>
  %0 = vector.shuffle %v, %p [0, 1, 2] : vector<2xf32>, vector<2xf32>
  return %0 : vector<3xf32>
}
// -----
// FACT single_lanes_alone: --convert-vector-to-llvm
// FALSE: shufflevector
func.func @f(%x: f32) -> vector<1xf32> {
  %0 = vector.broadcast %x : f32 to vector<1xf32>
  return %0 : vector<1xf32>
}
// -----
// FACT unrolls_elements: --convert-vector-to-llvm
// FALSE: vector\.from_elements
func.func @f(%x: f32) -> vector<2x2xf32> {
  %0 = vector.from_elements %x, %x, %x, %x : vector<2x2xf32>
  return %0 : vector<2x2xf32>
}
