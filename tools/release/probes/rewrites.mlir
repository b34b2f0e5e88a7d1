// FACT canonicalize_merges_blocks: --canonicalize
// FALSE: "a"[\s\S]*"a"
func.func private @g()
func.func @f(%c: i1) {
  cf.cond_br %c, ^x, ^y
^x:
  call @g() {s = "a"} : () -> ()
  return
^y:
  call @g() {s = "a"} : () -> ()
  return
}
// -----
// FACT cse_compares_regions: --cse
// FALSE: scf\.if[\s\S]*scf\.if
func.func @f(%c: i1, %a: i32) -> (i32, i32) {
  %x = scf.if %c -> (i32) {
  scf.yield %a : i32
  } else {
  %s = arith.addi %a, %a : i32
  scf.yield %s : i32
  }
  %y = scf.if %c -> (i32) {
  scf.yield %a : i32
  } else {
  %s = arith.addi %a, %a : i32
  scf.yield %s : i32
  }
  return %x, %y : i32, i32
}
// -----
// FACT drops_identity_transposes: --canonicalize
// FALSE: permutation = \[0, 1\]
func.func @f(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  linalg.transpose ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [0, 1]
  return
}
// -----
// FACT copies_without_casts: --canonicalize
// FALSE: memref\.cast
func.func @f(%a: memref<?xf32>, %b: memref<4xf32>) {
  %c = memref.cast %a : memref<?xf32> to memref<4xf32>
  memref.copy %c, %b : memref<4xf32> to memref<4xf32>
  return
}
// -----
// FACT newer_arith_patterns: --canonicalize
// TRUE: constant 6
func.func @f(%a: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %0 = arith.muli %a, %c2 : i32
  %1 = arith.muli %0, %c3 : i32
  return %1 : i32
}
// -----
// FACT runs_single_steps: --canonicalize
// FALSE: scf\.for
func.func private @g(index)
func.func @f(%s: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %s step %s {
  func.call @g(%i) : (index) -> ()
  }
  return
}
// -----
// FACT newer_scf_patterns: --canonicalize
// FALSE: scf\.index_switch|failed|error
func.func @f(%a: i32, %b: i32) -> i32 {
  %c = arith.constant 1 : index
  %r = scf.index_switch %c -> i32
  case 1 {
  scf.yield %a : i32
  }
  default {
  scf.yield %b : i32
  }
  return %r : i32
}
// -----
// FACT broadcasts_equal_elements: --canonicalize
// TRUE: vector\.broadcast
func.func @f(%a: f32) -> vector<2xf32> {
  %v = vector.from_elements %a, %a : vector<2xf32>
  return %v : vector<2xf32>
}
// -----
// FACT extends_products: --canonicalize
// TRUE: mulsi_extended
func.func @f(%a: i32, %b: i32) -> i32 {
  %c = arith.constant 32 : i64
  %x = arith.extsi %a : i32 to i64
  %y = arith.extsi %b : i32 to i64
  %m = arith.muli %x, %y : i64
  %s = arith.shrui %m, %c : i64
  %t = arith.trunci %s : i64 to i32
  return %t : i32
}
// -----
// FACT joins_insertions: --canonicalize
// TRUE: from_elements
func.func @f(%a: f32, %b: f32) -> vector<2xf32> {
  %u = arith.constant dense<0.0> : vector<2xf32>
  %0 = vector.insert %a, %u [0] : f32 into vector<2xf32>
  %1 = vector.insert %b, %0 [1] : f32 into vector<2xf32>
  return %1 : vector<2xf32>
}
// -----
// FACT divisions_undo_products: --canonicalize
// TRUE: ^exit 0(?![\s\S]*divsi)
func.func @f(%a: i32, %b: i32) -> i32 {
  %m = arith.muli %a, %b overflow<nsw> : i32
  %d = arith.divsi %m, %b : i32
  return %d : i32
}
// -----
// FACT truncations_undo_extensions: --canonicalize
// FALSE: arith\.truncf
func.func @f(%a: f16) -> f16 {
  %e = arith.extf %a : f16 to f32
  %t = arith.truncf %e : f32 to f16
  return %t : f16
}
// -----
// FACT comparisons_of_bits_fold: --canonicalize
// FALSE: arith\.cmpi
func.func @f(%a: i1) -> i1 {
  %t = arith.constant true
  %r = arith.cmpi eq, %a, %t : i1
  return %r : i1
}
// -----
// FACT remainders_are_nearest: --canonicalize
// TRUE: -1\.0
func.func @f() -> f32 {
  %x = arith.constant 5.0 : f32
  %y = arith.constant 3.0 : f32
  %r = arith.remf %x, %y : f32
  return %r : f32
}
// -----
// FACT choices_of_bits_are_logic: --canonicalize
// TRUE: arith\.ori
func.func @f(%c: i1, %a: i1, %b: i1) -> i1 {
  %r = arith.select %c, %a, %b : i1
  return %r : i1
}
// -----
// FACT divisions_by_itself_fold: --canonicalize
// FALSE: arith\.divsi
func.func @f(%a: i32) -> i32 {
  %r = arith.divsi %a, %a : i32
  return %r : i32
}
// -----
// FACT choices_are_extrema: --canonicalize
// TRUE: maxsi
func.func @f(%a: i32, %b: i32) -> i32 {
  %c = arith.cmpi sgt, %a, %b : i32
  %r = arith.select %c, %a, %b : i32
  return %r : i32
}
// -----
// FACT differences_from_zero_negate: --canonicalize
// TRUE: negf
func.func @f(%a: f32) -> f32 {
  %z = arith.constant -0.0 : f32
  %r = arith.subf %z, %a : f32
  return %r : f32
}
// -----
// FACT floats_skip_extensions: --canonicalize
// FALSE: arith\.extsi
func.func @f(%a: i16) -> f32 {
  %e = arith.extsi %a : i16 to i32
  %r = arith.sitofp %e : i32 to f32
  return %r : f32
}
// -----
// FACT extracts_what_was_inserted: --canonicalize
// FALSE: tensor\.extract
func.func @f(%a: f32, %t: tensor<4xf32>) -> f32 {
  %c = arith.constant 1 : index
  %i = tensor.insert %a into %t[%c] : tensor<4xf32>
  %r = tensor.extract %i[%c] : tensor<4xf32>
  return %r : f32
}
// -----
// FACT extensions_of_llvm_constants_fold: --canonicalize
// FALSE: llvm\.zext
func.func @f() -> i64 {
  %c = llvm.mlir.constant(1 : i32) : i32
  %r = llvm.zext %c : i32 to i64
  return %r : i64
}
// -----
// FACT affine_folds_negative_divisors:
// FALSE: ceildiv
func.func @f(%i: index, %j: index) -> index {
  %r = affine.apply affine_map<() -> (5 ceildiv -2)>()
  return %r : index
}
// -----
// FACT affine_orders_operands:
// TRUE: d0 \+ d1
func.func @f(%i: index, %j: index) -> index {
  %r = affine.apply affine_map<(d0, d1) -> (d1 + d0)>(%i, %j)
  return %r : index
}
// -----
// FACT affine_cancels_quotients:
// FALSE: floordiv
func.func @f(%i: index, %j: index) -> index {
  %r = affine.apply affine_map<()[s0] -> (s0 floordiv s0)>()[%i]
  return %r : index
}
// -----
// FACT finds_uniform_reductions: --canonicalize
// TRUE: uniform
func.func @f(%c: index, %a: f32, %b: memref<f32>) {
  gpu.launch blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c) threads(%u, %v, %w) in (%l = %c, %m = %c, %n = %c) {
  %s = gpu.all_reduce add %a {
  } : (f32) -> f32
  memref.store %s, %b[] : memref<f32>
  gpu.terminator
  }
  return
}
// -----
// FACT erases_writes_of_one_buffer: --canonicalize
// FALSE: linalg\.generic
#m = affine_map<(d0) -> (d0)>
func.func @f(%m: memref<4xf32>) {
  %c = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %c : f32
  }
  return
}
// -----
// FACT reads_writes_out_of_bounds: --canonicalize
// FALSE: vector\.transfer_read
func.func @f(%t: tensor<?xf32>, %v: vector<4xf32>, %x: f32) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_write %v, %t[%c0] : vector<4xf32>, tensor<?xf32>
  %1 = vector.transfer_read %0[%c0], %x {in_bounds = [true]} : tensor<?xf32>, vector<4xf32>
  return %1 : vector<4xf32>
}
// -----
// FACT numbers_give_way_to_nans: --canonicalize
// TRUE: 0x7FC00000
// FALSE: ^exit 0
func.func @f() -> f32 {
  %n = arith.constant 0x7FC00000 : f32
  %c = arith.constant 1.0 : f32
  %0 = arith.maxnumf %c, %n : f32
  return %0 : f32
}
