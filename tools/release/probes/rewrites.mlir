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
// -----
// FACT affine_sums_wrap:
// TRUE: -9223372036854775808
func.func @f() -> index {
  %r = affine.apply affine_map<() -> (9223372036854775807 + 1)>()
  return %r : index
}
// -----
// FACT converts_constants_last: --gpu-to-llvm
// FALSE: add %\w*c\w*,|add %0, %arg
func.func @f(%a: i32) -> i32 {
  %c = arith.constant 7 : i32
  %0 = arith.addi %c, %a : i32
  return %0 : i32
}
// -----
// FACT differences_without_flags: --canonicalize
// TRUE: ^exit 0(?![\s\S]*scf\.for)
func.func private @g(index)
func.func @f(%a: index) {
  %c1 = arith.constant 1 : index
  %b = arith.addi %a, %c1 : index
  scf.for %i = %a to %b step %c1 {
    func.call @g(%i) : (index) -> ()
  }
  return
}
// -----
// FACT drops_equal_arguments: --canonicalize=region-simplify=aggressive
// FALSE: ^exit 0[\s\S]*\^bb\d+\(
// TRUE: ^exit 0
func.func private @g(i32)
func.func @f(%c: i1, %a: i32, %b: i32) {
  cf.cond_br %c, ^x, ^y
^x:
  call @g(%a) : (i32) -> ()
  cf.br ^z(%a : i32)
^y:
  call @g(%b) : (i32) -> ()
  cf.br ^z(%a : i32)
^z(%v: i32):
  call @g(%v) : (i32) -> ()
  return
}
// -----
// FACT finds_remainders_in_sums:
// TRUE: d1 mod 4
func.func @f(%i: index, %j: index) -> index {
  %r = affine.apply affine_map<(d0, d1) -> (d0 + d1 - (d1 floordiv 4) * 4)>(%i, %j)
  return %r : index
}
// -----
// FACT folds_in_place_once: --convert-scf-to-cf
// TRUE: cond_br %(?!arg)
func.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
  %t = arith.constant true
  %n = arith.xori %c, %t : i1
  %o = arith.xori %n, %t : i1
  %r = scf.if %o -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  return %r : i32
}
// -----
// FACT folds_zero_strides: --canonicalize
// TRUE: strided<\[0
func.func @f(%m: memref<4xf32>, %i: index) -> memref<2xf32, strided<[?], offset: ?>> {
  %z = arith.constant 0 : index
  %s = memref.subview %m[%i] [2] [%z] : memref<4xf32> to memref<2xf32, strided<[?], offset: ?>>
  return %s : memref<2xf32, strided<[?], offset: ?>>
}
// -----
// FACT index_casts_fold: --canonicalize
// TRUE: index_cast
func.func @f(%a: i128) -> i128 {
  %0 = arith.index_cast %a : i128 to index
  %1 = arith.index_cast %0 : index to i128
  return %1 : i128
}
// -----
// FACT inlines_blocks_anywhere: --inline
// TRUE: ^exit 0(?![\s\S]*call @g)|^crash|^exit 1
func.func private @g(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}
func.func @f(%c: i1) {
  scf.if %c {
    func.call @g(%c) : (i1) -> ()
  }
  return
}
// -----
// FACT llvm_symbols_are_constants: --canonicalize
// TRUE: addressof[\s\S]*call @g\(\)
llvm.mlir.global external @x(1 : i32) : i32
llvm.func @g()
llvm.func @use(!llvm.ptr)
llvm.func @f() {
  llvm.call @g() : () -> ()
  %p = llvm.mlir.addressof @x : !llvm.ptr
  llvm.call @use(%p) : (!llvm.ptr) -> ()
  llvm.return
}
// -----
// FACT never_dead: --canonicalize
// HAS async.execute: ^exit 0[\s\S]*NAME
func.func @f() {
  %0 = async.execute {
    async.yield
  }
  return
}
// HAS gpu.launch: ^exit 0[\s\S]*NAME
func.func @f(%c: index) {
  gpu.launch blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c) threads(%u, %v, %w) in (%l = %c, %m = %c, %n = %c) {
    gpu.terminator
  }
  return
}
// HAS gpu.subgroup_reduce: ^exit 0[\s\S]*NAME
func.func @f(%a: f32) {
  %0 = gpu.subgroup_reduce add %a : (f32) -> f32
  return
}
// HAS xegpu.atomic_rmw: ^exit 0[\s\S]*NAME
func.func @f(%m: !xegpu.tensor_desc<8x16xf32>, %k: vector<8x16xi1>, %v: vector<8x16xf32>) {
  %0 = "xegpu.atomic_rmw"(%m, %k, %v) {kind = 0 : i64} : (!xegpu.tensor_desc<8x16xf32>, vector<8x16xi1>, vector<8x16xf32>) -> vector<8x16xf32>
  return
}
// HAS xegpu.update_nd_offset: ^exit 0[\s\S]*NAME
func.func @f(%m: !xegpu.tensor_desc<8x16xf32>, %c: index) {
  %0 = xegpu.update_nd_offset %m, [%c, %c] : !xegpu.tensor_desc<8x16xf32>
  return
}
// -----
// FACT loops_pass_once: --canonicalize
// FALSE: return %0#0, %0#1
func.func private @g(i32)
func.func @f(%n: index, %c: index, %a: i32) -> (i32, i32) {
  %r:2 = scf.for %i = %c to %n step %c iter_args(%s = %a, %t = %a) -> (i32, i32) {
    %x = arith.addi %s, %s : i32
    func.call @g(%t) : (i32) -> ()
    scf.yield %x, %x : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
// -----
// FACT region_branch_patterns: --canonicalize
// TRUE: return %arg
func.func private @g()
func.func @f(%c: index, %a: i32) -> i32 {
  %r = scf.index_switch %c -> i32
  case 1 {
    func.call @g() : () -> ()
    scf.yield %a : i32
  }
  default {
    scf.yield %a : i32
  }
  return %r : i32
}
