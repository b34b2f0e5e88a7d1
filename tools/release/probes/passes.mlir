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
// FACT affine_loops_fold: --lower-affine
// FALSE: scf.for
func.func @f(%n: index, %x: f32) -> f32 {
  %0 = affine.for %i = 0 to %n iter_args(%a = %x) -> f32 {
    affine.yield %a : f32
  }
  return %0 : f32
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
// -----
// FACT access_flags: --gpu-to-llvm
// 'all': overflow<nsw, nuw>
// 'by-stride': overflow<nsw>|inbounds
// 'none': llvm\.load
func.func @f(%m: memref<?x?xf32>, %i: index) -> f32 {
  %0 = memref.load %m[%i, %i] : memref<?x?xf32>
  return %0 : f32
}
// -----
// FACT ceil_divides_by_signs: --gpu-to-llvm
// TRUE: sdiv[\s\S]*sdiv|= arith\.ceildivsi
// FALSE: sdiv
func.func @f(%a: i32, %c: i32) -> i32 {
  %b = arith.ceildivsi %a, %c : i32
  return %b : i32
}
// -----
// FACT collapses_to_least_stride: --expand-strided-metadata
// TRUE: affine_map<[^\n]*min|affine\.min
func.func @f(%m: memref<?x?xf32, strided<[?, ?], offset: ?>>) -> index {
  %e = memref.collapse_shape %m [[0, 1]] : memref<?x?xf32, strided<[?, ?], offset: ?>> into memref<?xf32, strided<[?], offset: ?>>
  %b, %o, %s, %t = memref.extract_strided_metadata %e : memref<?xf32, strided<[?], offset: ?>> -> memref<f32>, index, index, index
  return %t : index
}
// -----
// FACT contraction_without_body: --convert-arith-to-llvm
// '(add, mul) operations not found': \(add, mul\) operations not found
// 'expected add/mul op in the body': expected add/mul op in the body
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// -----
// FACT counts_without_zeros: --gpu-to-llvm
// FALSE: getelementptr %\w+\[%0\]
func.func @f() -> memref<0xf32> {
  %m = memref.alloc() : memref<0xf32>
  return %m : memref<0xf32>
}
// -----
// FACT drops_dimensions_by_position: --expand-strided-metadata
// TRUE: strides: \[%strides#0, %strides#2\]
// FALSE: strides: \[%strides#
func.func @f(%m: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, %i: index) -> memref<1x4xf32, strided<[?, ?], offset: ?>> {
  %s = memref.subview %m[%i, %i, %i] [1, 1, 4] [1, 1, 1] : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>> to memref<1x4xf32, strided<[?, ?], offset: ?>>
  return %s : memref<1x4xf32, strided<[?, ?], offset: ?>>
}
// -----
// FACT exchanges_float_bits: --convert-scf-to-cf --gpu-to-llvm
// TRUE: bitcast[\s\S]*cmpxchg
func.func @f(%m: memref<4xf32>, %i: index, %x: f32) {
  %0 = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
  ^bb0(%v: f32):
    %y = arith.mulf %v, %v : f32
    memref.atomic_yield %y : f32
  }
  return
}
// -----
// FACT fills_quotients_first: --convert-complex-to-llvm
// TRUE: insertvalue[\s\S]*fdiv
func.func @f(%a: complex<f32>, %b: complex<f32>) -> complex<f32> {
  %0 = complex.div %a, %b : complex<f32>
  return %0 : complex<f32>
}
// -----
// FACT inline_asks_no_inline: --inline
// TRUE: call @g
llvm.func @g() attributes {no_inline} {
  llvm.return
}
llvm.func @f() {
  llvm.call @g() : () -> ()
  llvm.return
}
// -----
// FACT inline_canonicalizes_kernels: --inline
// TRUE: ^exit 0(?![\s\S]*arith\.addi)
gpu.module @k {
  func.func private @g() {
    return
  }
  gpu.func @f(%a: i32) kernel {
    %0 = arith.addi %a, %a : i32
    func.call @g() : () -> ()
    gpu.return
  }
}
// -----
// FACT inline_keeps_last_use: --inline
// TRUE: call @g
llvm.func internal @g() attributes {sym_visibility = "private"} {
  llvm.return
}
llvm.func @f() {
  llvm.call @g() : () -> ()
  llvm.return
}
// -----
// FACT inline_makes_alias_scopes: --inline
// TRUE: alias_scope
llvm.func @g(%p: !llvm.ptr {llvm.noalias}, %v: i32) {
  llvm.store %v, %p : i32, !llvm.ptr
  llvm.return
}
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  llvm.call @g(%p, %v) : (!llvm.ptr, i32) -> ()
  llvm.return
}
// -----
// FACT inline_refuses_attributes: --inline
// TRUE: call @g
llvm.func @g(%v: i32 {llvm.noundef}) {
  llvm.return
}
llvm.func @f(%v: i32) {
  llvm.call @g(%v) : (i32) -> ()
  llvm.return
}
// -----
// FACT inline_skips_cycles: --inline
// FALSE: @h\(\) \{\s+call @h
func.func @g() {
  call @h() : () -> ()
  return
}
func.func @h() {
  call @g() : () -> ()
  return
}
// -----
// FACT inlines_llvm_metadata: --inline
// TRUE: ^exit 0(?![\s\S]*call @g)
#d = #llvm.alias_scope_domain<id = distinct[0]<>>
#s = #llvm.alias_scope<id = distinct[1]<>, domain = #d>
llvm.func @g(%p: !llvm.ptr, %v: i32) {
  llvm.store %v, %p {alias_scopes = [#s]} : i32, !llvm.ptr
  llvm.return
}
llvm.func @f(%p: !llvm.ptr, %v: i32) {
  llvm.call @g(%p, %v) : (!llvm.ptr, i32) -> ()
  llvm.return
}
// -----
// FACT inlines_most_llvm_ops: --inline
// TRUE: ^exit 0(?![\s\S]*call @g)
llvm.func @g(%p: !llvm.ptr) {
  "llvm.intr.prefetch"(%p) {cache = 1 : i32, hint = 0 : i32, rw = 0 : i32} : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @f(%p: !llvm.ptr) {
  llvm.call @g(%p) : (!llvm.ptr) -> ()
  llvm.return
}
// -----
// FACT keeps_tf32: --gpu-to-llvm
// TRUE: ^exit 1
func.func @f(%a: tf32) {
  return
}
// -----
// FACT linkage_is_property: --convert-func-to-llvm
// TRUE: Invalid attribute `linkage`
func.func @f() attributes {llvm.linkage = 3 : i32} {
  return
}
// -----
// FACT loop_annotations: --convert-scf-to-cf
// 'all': \{llvm\.loop_annotation[\s\S]*\{llvm\.loop_annotation
// 'condition': cond_br[^\n]*\{llvm
// 'for': \{llvm\.loop_annotation
// 'none': .
#l = #llvm.loop_annotation<disableNonforced = true>
func.func @f(%c: index, %d: i1) {
  scf.for %i = %c to %c step %c {
  } {llvm.loop_annotation = #l}
  scf.while : () -> () {
    scf.condition(%d)
  } do {
    scf.yield
  } attributes {llvm.loop_annotation = #l}
  return
}
// -----
// FACT pointers_of_all_views: --expand-strided-metadata
// TRUE: extract_aligned_pointer_as_index %arg
func.func @f(%m: memref<4xf32>) -> index {
  %c = memref.cast %m : memref<4xf32> to memref<?xf32>
  %0 = memref.extract_aligned_pointer_as_index %c : memref<?xf32> -> index
  return %0 : index
}
// -----
// FACT returns_bare_allocation: "--convert-func-to-llvm=use-bare-ptr-memref-call-conv=1"
// TRUE: extractvalue %\w+\[0\]
func.func @f(%m: memref<4xf32>) -> memref<4xf32> {
  return %m : memref<4xf32>
}
// -----
// FACT small_floats_stay: --gpu-to-llvm
// FALSE: ^exit 1
func.func @f(%a: f8E5M2) -> f8E5M2 {
  %0 = arith.addf %a, %a : f8E5M2
  return %0 : f8E5M2
}
// -----
// FACT transposes_by_source: --convert-linalg-to-loops
// TRUE: load %arg0\[%arg2, %arg3\]
func.func @f(%a: memref<4x8xf32>, %b: memref<8x4xf32>) {
  linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [1, 0]
  return
}
// -----
// FACT unranked_sizes_shared: --convert-func-to-llvm
// FALSE: memcpy[\s\S]*(?:mul|umax)
func.func @f(%m: memref<*xf32>, %n: memref<*xf32>) -> (memref<*xf32>, memref<*xf32>) {
  return %m, %n : memref<*xf32>, memref<*xf32>
}
// -----
// FACT byval_copies_are_aligned: --inline
// TRUE: memcpy[^\n]*align
llvm.func @g(%p: !llvm.ptr {llvm.byval = i32, llvm.align = 16 : i64}) {
  %0 = llvm.load %p : !llvm.ptr -> i32
  llvm.store %0, %p : i32, !llvm.ptr
  llvm.return
}
llvm.func @f(%p: !llvm.ptr) {
  llvm.call @g(%p) : (!llvm.ptr) -> ()
  llvm.return
}
// -----
// FACT inlined_dialects: --inline=default-pipeline=
// HAS affine: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  affine.store %f, %m[0] : memref<4xf32>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS arith: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = arith.addf %f, %f : f32
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS bufferization: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = bufferization.alloc_tensor() : tensor<4xf32>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS cf: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  cf.assert %b, "x"
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS gpu: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = gpu.wait async
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS linalg: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  linalg.fill ins(%f : f32) outs(%m : memref<4xf32>)
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS math: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = math.sqrt %f : f32
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS memref: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  memref.store %f, %m[%i] : memref<4xf32>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS scf: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  scf.if %b {
  }
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS shape: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = shape.shape_of %t : tensor<4xf32> -> tensor<1xindex>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS tensor: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = tensor.extract %t[%i] : tensor<4xf32>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS tosa: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = "tosa.abs"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS ub: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = "ub.poison"() {value = #ub.poison} : () -> i32
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS vector: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  vector.print %f : f32
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS complex: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = complex.create %f, %f : complex<f32>
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS nvvm: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  nvvm.cp.async.wait.group 0
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS amdgpu: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  amdgpu.lds_barrier
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS builtin: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = builtin.unrealized_conversion_cast %n : i32 to i64
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS index: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  %0 = index.add %i, %i
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS rocdl: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  "rocdl.barrier"() : () -> ()
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS func: ^exit 0(?![\s\S]*call @g)
func.func private @h()
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  func.call @h() : () -> ()
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// HAS test: ^exit 0(?![\s\S]*call @g)
func.func private @g(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  "test.foo"() : () -> ()
  return
}
func.func @f(%i: index, %f: f32, %n: i32, %v: vector<4xf32>, %t: tensor<4xf32>, %m: memref<4xf32>, %b: i1) {
  call @g(%i, %f, %n, %v, %t, %m, %b) : (index, f32, i32, vector<4xf32>, tensor<4xf32>, memref<4xf32>, i1) -> ()
  return
}
// -----
// FACT spirv_shuffles_without_size: --convert-gpu-to-llvm-spv
// TRUE: sub_group_shuffle_xor
// FALSE: failed to legalize
gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    %o = arith.constant 1 : i32
    %w = arith.constant 16 : i32
    %r, %p = gpu.shuffle xor %x, %o, %w : f32
    gpu.return
  }
}
// -----
// FACT keeps_subgroup_size: --convert-gpu-to-llvm-spv
// TRUE: spir_kernelcc @k\(\) attributes \{[^}]*intel_reqd
// FALSE: spir_kernelcc @k\(\) attributes \{gpu\.kernel\}
gpu.module @m {
  gpu.func @k() kernel attributes {intel_reqd_sub_group_size = 16 : i32} {
    gpu.return
  }
}
// -----
// FACT xevm_annotates_pointers: --convert-xevm-to-llvm
// TRUE: intr\.ptr\.annotation
// FALSE: DecorationCacheControl
llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, tile_width = 16 : i32, tile_height = 8 : i32, v_blocks = 1 : i32, cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  llvm.return
}
// -----
// FACT xevm_loads_rows_of_32_bytes_in_pairs: --convert-xevm-to-llvm
// TRUE: alloca %\w+ x i16
// FALSE: alloca %\w+ x i8
llvm.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) -> vector<16xi8> {
  %v = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 8 : i32, tile_width = 32 : i32, tile_height = 8 : i32, v_blocks = 1 : i32, transpose = false, pack_register = false}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi8>
  llvm.return %v : vector<16xi8>
}
// -----
// FACT xegpu_default_cache: --convert-xegpu-to-xevm
// TRUE: Use_Default
// FALSE: L1uc_L2uc_L3uc
gpu.module @m {
  gpu.func @f(%p: i64, %i: index) -> vector<8xf16> {
    %d = xegpu.create_nd_tdesc %p, shape: [64, 64], strides: [64, 1] : i64 -> !xegpu.tensor_desc<8x16xf16>
    %v = xegpu.load_nd %d[%i, %i] : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
    gpu.return %v : vector<8xf16>
  }
}
// -----
// FACT xegpu_packs_bytes: --convert-xegpu-to-xevm
// TRUE: pack_register = true
// FALSE: pack_register = false
gpu.module @m {
  gpu.func @f(%p: i64, %i: index) -> vector<32xi8> {
    %d = xegpu.create_nd_tdesc %p, shape: [64, 64], strides: [64, 1] : i64 -> !xegpu.tensor_desc<32x16xi8>
    %v = xegpu.load_nd %d[%i, %i] : !xegpu.tensor_desc<32x16xi8> -> vector<32xi8>
    gpu.return %v : vector<32xi8>
  }
}
// -----
// FACT xegpu_transposes_dwords: --convert-xegpu-to-xevm
// TRUE: elem_size_in_bits = 32
// FALSE: transpose is only supported for 32 and 64 bit elements
gpu.module @m {
  gpu.func @f(%p: i64, %i: index) -> vector<16xf16> {
    %d = xegpu.create_nd_tdesc %p, shape: [64, 64], strides: [64, 1] : i64 -> !xegpu.tensor_desc<16x16xf16>
    %v = xegpu.load_nd %d[%i, %i] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x16xf16> -> vector<16xf16>
    gpu.return %v : vector<16xf16>
  }
}
// -----
// FACT xegpu_asks_chip: --convert-xegpu-to-xevm
// TRUE: failed to legalize operation 'xegpu\.dpas'
// FALSE: xevm\.mma
func.func @f(%a: vector<8xf16>, %b: vector<16xf16>) -> vector<8xf32> {
  %0 = xegpu.dpas %a, %b : vector<8xf16>, vector<16xf16> -> vector<8xf32>
  return %0 : vector<8xf32>
}
// -----
// FACT xegpu_converts_floats: --convert-xegpu-to-xevm
// TRUE: xevm\.truncf
// FALSE: arith\.truncf
func.func @f(%a: vector<16xf16>) -> vector<16xf8E5M2> {
  %0 = arith.truncf %a : vector<16xf16> to vector<16xf8E5M2>
  return %0 : vector<16xf8E5M2>
}
