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
// -----
// FACT casts_scalable_shapes: --convert-vector-to-llvm
// FALSE: vector\.shape_cast
func.func @f(%v: vector<2x[4]xf32>) -> vector<1x2x[4]xf32> {
  %0 = vector.shape_cast %v : vector<2x[4]xf32> to vector<1x2x[4]xf32>
  return %0 : vector<1x2x[4]xf32>
}
// -----
// FACT converts_slices: --gpu-to-llvm
// FALSE: vector\.extract_strided_slice
func.func @f(%v: vector<4xf32>) -> vector<2xf32> {
  %0 = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
  return %0 : vector<2xf32>
}
// -----
// FACT extracts_at_values: --convert-vector-to-scf
// FALSE: vector\.insertelement
func.func @f(%m: memref<?x?xf32>, %i: index, %x: f32) -> vector<4xf32> {
  %0 = vector.transfer_read %m[%i, %i], %x {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT gathers_rows: --convert-vector-to-llvm
// TRUE: getelementptr[^\n]*\n[^\n]*(?:undef|poison)
func.func @f(%m: memref<16xf32>, %i: index, %v: vector<2x4xi32>, %k: vector<2x4xi1>, %p: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = vector.gather %m[%i][%v], %k, %p : memref<16xf32>, vector<2x4xi32>, vector<2x4xi1>, vector<2x4xf32> into vector<2x4xf32>
  return %0 : vector<2x4xf32>
}
// -----
// FACT knows_scalable_sizes: --convert-vector-to-llvm
// TRUE: llvm\.vscale|vscale
func.func @f(%v: vector<[4]xf32>, %m: vector<[4]xi1>) -> f32 {
  %0 = vector.mask %m { vector.reduction <add>, %v : vector<[4]xf32> into f32 } : vector<[4]xi1> -> f32
  return %0 : f32
}
// -----
// FACT loads_single_elements: --convert-vector-to-llvm
// TRUE: memref\.load
func.func @f(%m: memref<4xf32>, %i: index) -> vector<1xf32> {
  %0 = vector.load %m[%i] : memref<4xf32>, vector<1xf32>
  return %0 : vector<1xf32>
}
// -----
// FACT masked_transfers_stay: --gpu-to-llvm
// TRUE: ^exit 0[\s\S]*vector\.mask
func.func @f(%m: memref<4xf32>, %i: index, %x: f32, %k: vector<4xi1>) -> vector<4xf32> {
  %0 = vector.mask %k { vector.transfer_read %m[%i], %x {in_bounds = [true]} : memref<4xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT predicates_reductions: --convert-vector-to-llvm
// TRUE: vp\.reduce
func.func @f(%v: vector<4xf32>, %m: vector<4xi1>) -> f32 {
  %0 = vector.mask %m { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
  return %0 : f32
}
// -----
// FACT reads_scalars_as_vectors: --convert-vector-to-scf
// TRUE: vector\.transfer_read [^\n]*vector<f32>
func.func @f(%m: memref<4xf32>, %i: index, %x: f32) -> vector<4xf32> {
  %0 = vector.transfer_read %m[%i], %x {permutation_map = affine_map<(d0) -> (0)>, in_bounds = [true]} : memref<4xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT reassociates_by_flag: --convert-vector-to-llvm
// TRUE: reassoc =
func.func @f(%v: vector<4xf32>) -> f32 {
  %0 = vector.reduction <add>, %v : vector<4xf32> into f32
  return %0 : f32
}
// -----
// FACT repeats_by_broadcasts: --convert-vector-to-scf
// FALSE: vector\.splat
func.func @f(%m: memref<?x?xf32>, %i: index, %x: f32) -> vector<4xf32> {
  %0 = vector.transfer_read %m[%i, %i], %x {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT scalable_parts_are_kept: --convert-vector-to-scf
// FALSE: vector<\[?3\]?x4xf32>|vector<4xf32>
func.func @f(%m: memref<?x?xf32>, %i: index, %x: f32) -> vector<3x[4]xf32> {
  %0 = vector.transfer_read %m[%i, %i], %x : memref<?x?xf32>, vector<3x[4]xf32>
  return %0 : vector<3x[4]xf32>
}
// -----
// FACT shape_casts_by_slices: --convert-vector-to-llvm
// FALSE: extractelement
func.func @f(%v: vector<2x4xf32>) -> vector<1x2x4xf32> {
  %0 = vector.shape_cast %v : vector<2x4xf32> to vector<1x2x4xf32>
  return %0 : vector<1x2x4xf32>
}
// -----
// FACT unbounded_masked_transfers_stay: --convert-vector-to-llvm
// TRUE: ^exit 0[\s\S]*vector\.transfer_read
func.func @f(%m: memref<?xf32>, %i: index, %x: f32, %k: vector<4xi1>) -> vector<4xf32> {
  %0 = vector.mask %k { vector.transfer_read %m[%i], %x : memref<?xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  return %0 : vector<4xf32>
}
// -----
// FACT vector_constants_fold: --canonicalize
// FALSE: insert[\s\S]*insert
func.func @f(%v: vector<2xf32>, %a: f32, %b: f32) -> vector<2xf32> {
  %0 = vector.insert %a, %v [0] : f32 into vector<2xf32>
  %1 = vector.insert %b, %0 [0] : f32 into vector<2xf32>
  return %1 : vector<2xf32>
}
// -----
// FACT full_masks_fold: --canonicalize
// 'all': ^exit 0(?![\s\S]*transfer_read[^\n]*, %\w+, %\w+ )(?![\s\S]*constant_mask)
// 'made': ^exit 0(?![\s\S]*constant_mask)
// 'none': ^exit 0
func.func @f(%m: memref<4xf32>, %i: index, %x: f32) -> (vector<4xf32>, vector<4xf32>) {
  %k = vector.constant_mask [4] : vector<4xi1>
  %c = arith.constant dense<true> : vector<4xi1>
  %0 = vector.transfer_read %m[%i], %x, %k : memref<4xf32>, vector<4xf32>
  %1 = vector.transfer_read %m[%i], %x, %c : memref<4xf32>, vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}
// -----
// FACT unit_transfers_are_plain: --canonicalize
// FALSE: permutation_map
func.func @f(%m: memref<4x1xf32>, %i: index, %x: f32) -> vector<1xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%i, %c0], %x {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<4x1xf32>, vector<1xf32>
  return %0 : vector<1xf32>
}
// -----
// FACT shape_casts_of_constants_fold: --canonicalize
// FALSE: shape_cast
func.func @f() -> vector<4xi32> {
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : vector<2x2xi32>
  %1 = vector.shape_cast %0 : vector<2x2xi32> to vector<4xi32>
  return %1 : vector<4xi32>
}
