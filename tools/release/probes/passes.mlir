// FACT poison_aggregates: --gpu-to-llvm
// TRUE: llvm\.mlir\.poison
func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
  %t = gpu.wait async
  %u = gpu.memcpy async [%t] %a, %b : memref<4xf32>, memref<4xf32>
  gpu.wait [%u]
  return
}
// -----
// FACT null_is_zero: --gpu-to-llvm
// TRUE: llvm\.mlir\.zero
func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
  %t = gpu.wait async
  %u = gpu.memcpy async [%t] %a, %b : memref<?xf32>, memref<?xf32>
  gpu.wait [%u]
  return
}
// -----
// FACT casts_must_reconcile: --reconcile-unrealized-casts
// TRUE: ^exit 1
func.func @f(%a: i32) -> i64 {
  %r = builtin.unrealized_conversion_cast %a : i32 to i64
  return %r : i64
}
// -----
// FACT switch_bits: --convert-scf-to-cf
// 0: = scf\.index_switch
// 32: index_cast[^\n]*to i32
// 64: index_cast[^\n]*to i64
func.func @f(%c: index, %a: i32, %b: i32) -> i32 {
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
// FACT functions_lose_public: --convert-func-to-llvm
// FALSE: public
func.func public @f() {
  return
}
// -----
// FACT functions_with_bodies: --convert-func-to-llvm
// TRUE: llvm\.add
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  return %b : i32
}
// -----
// FACT functions_with_data_layout: --convert-func-to-llvm
// TRUE: data_layout
func.func @f() {
  return
}
// -----
// FACT functions_lose_no_inline: --convert-func-to-llvm
// FALSE: no_inline
func.func @f() attributes {no_inline} {
  return
}
// -----
// FACT affine_flags: --lower-affine
// TRUE: overflow<nsw>
func.func @f(%i: index, %j: index) -> index {
  %r = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
  return %r : index
}
// -----
// FACT affine_extrema_are_ops: --lower-affine
// TRUE: maxsi
func.func @f(%i: index, %j: index) -> index {
  %r = affine.max affine_map<(d0, d1) -> (d0, d1)>(%i, %j)
  return %r : index
}
// -----
// FACT parallel_ends_with_yield: --mlir-print-op-generic
// TRUE: "scf.yield"
func.func @f(%a: index) {
  scf.parallel (%i) = (%a) to (%a) step (%a) {
  }
  return
}
// -----
// FACT expands_delinearization: --lower-affine
// TRUE: ^exit 0(?![\s\S]*affine\.delinear)
func.func @f(%i: index, %n: index) -> (index, index) {
  %r:2 = affine.delinearize_index %i into (%n, %n) : index, index
  return %r#0, %r#1 : index, index
}
// -----
// FACT expands_affine_indices: --lower-affine
// TRUE: ^exit 0(?![\s\S]*affine\.linear)
func.func @f(%i: index) -> index {
  %r = affine.linearize_index [%i, %i] by (4, 4) : index
  return %r : index
}
// -----
// FACT trigonometric_intrinsics: --convert-math-to-llvm
// TRUE: llvm\.intr\.tanh
func.func @f(%a: f32) -> f32 {
  %b = math.tanh %a : f32
  return %b : f32
}
// -----
// FACT expands_rounding_divisions: --gpu-to-llvm
// TRUE: llvm\.sdiv
func.func @f(%a: i32, %c: i32) -> i32 {
  %b = arith.ceildivsi %a, %c : i32
  return %b : i32
}
// -----
// FACT for_steps_are_verified:
// TRUE: ^exit 1
func.func @f(%a: index) {
  %c = arith.constant -1 : index
  scf.for %i = %a to %a step %c {
  }
  return
}
// -----
// FACT assume_has_bundles:
// TRUE: ^exit 0
func.func @f(%c: i1, %p: !llvm.ptr, %n: i64) {
  llvm.intr.assume %c ["align"(%p, %n : !llvm.ptr, i64)] : i1
  return
}
// -----
// FACT lifetimes_have_sizes:
// TRUE: ^exit 0
func.func @f(%p: !llvm.ptr) {
  llvm.intr.lifetime.start 4, %p : !llvm.ptr
  return
}
// -----
// FACT extracts_from_space_casts: --expand-strided-metadata
// TRUE: extract_strided_metadata %arg
func.func @f(%m: memref<?xf32>) -> index {
  %c = memref.memory_space_cast %m : memref<?xf32> to memref<?xf32, 1>
  %b, %o, %s, %t = memref.extract_strided_metadata %c : memref<?xf32, 1> -> memref<f32, 1>, index, index, index
  return %s : index
}
// -----
// FACT keeps_function_attributes: --convert-func-to-llvm
// TRUE: llvm\.readnone
func.func private @f() attributes {llvm.readnone}
// -----
// FACT index_sums_have_flags: --lower-affine
// TRUE: overflow<
func.func @f(%i: index, %j: index) -> index {
  %r = affine.linearize_index [%i, %j] by (4, 8) : index
  return %r : index
}
// -----
// FACT functions_need_entry_only: --convert-func-to-llvm
// TRUE: llvm\.func @f
func.func @f() {
  "test.jump"()[^bb1] : () -> ()
^bb1(%t: tensor<4xf32>):
  return
}
// -----
// FACT memory_effects: --convert-func-to-llvm
// ('memory_effects', ', errnoMem = none, targetMem0 = none, targetMem1 = none'): memory_effects = [^\n]*errnoMem = none
// ('memory_effects', ''): memory_effects =
// ('memory', ''): memory =
func.func private @f(i32) attributes {llvm.readnone}
// -----
// FACT assumes_by_bundles: --finalize-memref-to-llvm
// TRUE: "align"
func.func @f(%m: memref<4xf32>, %i: index) -> f32 {
  memref.assume_alignment %m, 16 : memref<4xf32>
  %0 = memref.load %m[%i] : memref<4xf32>
  return %0 : f32
}
// -----
// FACT integer_math_by_rows: --convert-math-to-llvm
// TRUE: llvm\.intr\.abs
func.func @f(%v: vector<2x4xi32>) -> vector<2x4xi32> {
  %0 = math.absi %v : vector<2x4xi32>
  return %0 : vector<2x4xi32>
}
// -----
// FACT signed_memory_spaces: --finalize-memref-to-llvm
// TRUE: llvm\.ptr<1>
func.func @f() -> memref<10xf32, 1 : ui64> {
  %0 = memref.alloc() : memref<10xf32, 1 : ui64>
  return %0 : memref<10xf32, 1 : ui64>
}
// -----
// FACT bare_pointers_by_attribute: --convert-func-to-llvm
// TRUE: llvm\.func @f\(%\w+: !llvm\.ptr\)
func.func @f(%m: memref<4xf32>) attributes {llvm.bareptr} {
  return
}
// -----
// FACT inline_asks_calls: --inline
// TRUE: call @g
func.func @g() {
  return
}
func.func @f() {
  call @g() {no_inline} : () -> ()
  return
}
// -----
// FACT accesses_keep_alignment: --finalize-memref-to-llvm
// TRUE: alignment = 32
func.func @f(%m: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.load %m[%i] {alignment = 32} : memref<4xf32>
  return %0 : f32
}
// -----
// FACT branches_must_convert: --convert-cf-to-llvm
// TRUE: ^exit 1
func.func @f(%t: tensor<4xf32>) {
  cf.br ^bb1(%t : tensor<4xf32>)
^bb1(%a: tensor<4xf32>):
  return
}
// -----
// FACT atomic_maximum_is_fmax: --finalize-memref-to-llvm
// TRUE: atomicrmw fmax %
func.func @f(%m: memref<4xf32>, %i: index, %x: f32) {
  %0 = memref.atomic_rmw maximumf %x, %m[%i] : (f32, memref<4xf32>) -> f32
  return
}
// -----
// FACT expanded_sizes_are_given: --expand-strided-metadata
// FALSE: affine\.apply
// TRUE: ^exit 0
func.func @f(%m: memref<?xf32>, %n: index) -> index {
  %e = memref.expand_shape %m [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %e : memref<?x4xf32> -> memref<f32>, index, index, index, index, index
  return %s#0 : index
}
// -----
// FACT complex_products_first: --convert-complex-to-llvm
// TRUE: fmul[^\n]*\n[^\n]*fmul[^\n]*\n[^\n]*fmul[^\n]*\n[^\n]*fmul
func.func @f(%a: complex<f32>, %b: complex<f32>) -> complex<f32> {
  %0 = complex.mul %a, %b : complex<f32>
  return %0 : complex<f32>
}
