// FACT properties_are_written: --mlir-print-op-generic
// TRUE: <{
func.func @f() {
  %c = arith.constant 1 : i32
  return
}
// -----
// FACT tosa_has_assembly:
// TRUE: = tosa\.abs %
func.func @f(%a: tensor<4xf32>) {
  %0 = "tosa.abs"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
// FACT reduce_ends_loops: --mlir-print-op-generic
// TRUE: "scf.reduce"
func.func @f(%a: index) {
  scf.parallel (%i) = (%a) to (%a) step (%a) {
  }
  return
}
// -----
// FACT gpu_module_has_end: --mlir-print-op-generic
// TRUE: gpu.module_end
gpu.module @k {
}
// -----
// FACT reciprocal_says_booleans:
// TRUE: ^exit 0
func.func @f(%v: vector<4xf32>) {
  %r = nvgpu.rcp %v {approx = true, ftz = true} : vector<4xf32>
  return
}
// -----
// FACT extract_names_source_type:
// TRUE: ^exit 0
func.func @f(%v: vector<4xf32>) {
  %e = vector.extract %v[0] : f32 from vector<4xf32>
  return
}
// -----
// FACT rank_0_vectors_compute:
// TRUE: ^exit 0
func.func @f(%v: vector<f32>) {
  %e = arith.addf %v, %v : vector<f32>
  return
}
// -----
// FACT says_current_words:
// TRUE: incorrect number of dynamic sizes
func.func @f() {
  %m = memref.alloc() : memref<?xf32>
  return
}
// -----
// FACT addressed_ops:
// "'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func' or 'llvm.mlir.ifunc'": defined by 'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func' or 'llvm.mlir.ifunc'
// "'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func'": defined by 'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func'
// "'llvm.mlir.global' or 'llvm.func'": defined by 'llvm.mlir.global' or 'llvm.func'
func.func @f() {
  %p = llvm.mlir.addressof @nothing : !llvm.ptr
  return
}
// -----
// FACT called_ops:
// 'function, IFunc, or alias': valid LLVM function, IFunc, or alias
// 'function or IFunc': valid LLVM function or IFunc
// 'function': valid LLVM function
func.func private @g()
func.func @f() {
  llvm.call @g() : () -> ()
  return
}
// -----
// FACT pointers_are_opaque:
// FALSE: ^exit 0
func.func private @f(!llvm.ptr<i32>)
// -----
// FACT memory_effects_have_errno:
// TRUE: ^exit 0
func.func private @f() attributes {a = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>}
// -----
// FACT locations_have_ranges:
// TRUE: ^exit 0
func.func private @f() loc("a.c":1:2 to 3:4)
// -----
// FACT matrices_of_doubles:
// TRUE: ^exit 0
func.func private @f(!gpu.mma_matrix<8x4xf64, "AOp">)
// -----
// FACT matrices_of_integers:
// TRUE: ^exit 0
func.func private @f(!gpu.mma_matrix<16x16xsi8, "AOp">)
// -----
// FACT vectors_of_llvm_types:
// TRUE: ^exit 0
func.func private @f(vector<4x!llvm.ptr>)
// -----
// FACT any_dimension_is_scalable:
// TRUE: ^exit 0
func.func private @f(vector<[4]x4xf32>)
// -----
// FACT targets_need_texts:
// TRUE: cannot be empty|^crash
gpu.module @k [#nvvm.target<chip = "">] {
}
// -----
// FACT optimization_has_levels:
// TRUE: optimization level
gpu.module @k [#nvvm.target<O = 9>] {
}
// -----
// FACT chips_are_checked:
// TRUE: ^exit 1[\s\S]*not supported on sm_50
gpu.module @k [#nvvm.target<chip = "sm_50">] {
  llvm.func @f() {
    nvvm.cluster.wait
    llvm.return
  }
}
// -----
// FACT assume_alignment_has_result:
// TRUE: ^exit 0
func.func @f(%m: memref<4xf32>) {
  %r = memref.assume_alignment %m, 16 : memref<4xf32>
  return
}
// -----
// FACT subviews_compare_strides:
// TRUE: ^exit 1
func.func @f(%m: memref<4x4xf32>) {
  %s = memref.subview %m[0, 0] [2, 2] [1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[9, 1]>>
  return
}
// -----
// FACT reinterpret_casts_to_dynamic:
// TRUE: ^exit 1
func.func @f(%m: memref<4xf32>, %n: index) {
  %0 = memref.reinterpret_cast %m to offset: [0], sizes: [%n], strides: [1] : memref<4xf32> to memref<4xf32>
  return
}
// -----
// FACT variadic_calls_say_type:
// TRUE: ^exit 0
llvm.func @g(...)
llvm.func @f(%a: i32) {
  llvm.call @g(%a) vararg(!llvm.func<void (...)>) : (i32) -> ()
  llvm.return
}
// -----
// FACT matrices_say_shape:
// TRUE: ^exit 0
llvm.func @f(%p: !llvm.ptr<3>) {
  %0 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
  llvm.return
}
// -----
// FACT nvgpu_products_check_ranks:
// TRUE: must be 2 dimensional
func.func @f(%a: vector<8xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) {
  %0 = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<8xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return
}
// -----
// FACT affine_symbols_are_checked:
// TRUE: cannot be used as a dimension id
func.func @f(%m: memref<?xf32>, %x: index) {
  affine.for %i = 0 to 9 {
    %1 = arith.muli %i, %x : index
    %c = affine.load %m[%1] : memref<?xf32>
  }
  return
}
// -----
// FACT sizes_are_checked_on_all_ops:
// TRUE: ^exit 1
func.func @f() attributes {gpu.known_block_size = 3 : i32} {
  return
}
// -----
// FACT chip_lists_are_short:
// TRUE: ^exit 1[\s\S]*is not supported on sm_110a
gpu.module @m [#nvvm.target<chip = "sm_110a">] {
  func.func @f(%t: !llvm.ptr<6>) {
    nvvm.tcgen05.shift %t : !llvm.ptr<6>
    return
  }
}
// -----
// FACT system_specs_have_equals:
// TRUE: ^exit 0
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<#dlti.dl_entry<"a", 1 : i32>>>} {
}
// -----
// FACT arrays_of_structs_are_constants:
// TRUE: ^exit 1
llvm.func @f() {
  %c = llvm.mlir.constant([[1 : i32, 2 : i32, 4 : i32], [3 : i32, 4 : i32, 5 : i32]]) : !llvm.array<2 x struct<(i32, i32)>>
  llvm.return
}
// -----
// FACT arrays_take_bits:
// TRUE: ^exit 0
// FALSE: multiple of 8
func.func private @f() attributes {a = array<tf32: 1.0>}
// -----
// FACT arrays_take_index:
// 'read': ^exit 0
// 'crash': ^crash
// 'rejected': got: 'index'
func.func private @f() attributes {a = array<index: 1>}
// -----
// FACT bitcast_rejects_index:
// FALSE: operand #0 must be
func.func @f(%a: index) {
  %0 = arith.bitcast %a : index to i64
  return
}
// -----
// FACT generic_ops:
// HAS gpu.yield: "NAME"|^exit 1
func.func @f(%a: f32) {
  %0 = "gpu.all_reduce"(%a) ({
  ^bb0(%b: f32, %c: f32):
    "NAME"(%b) : (f32) -> ()
  }) : (f32) -> f32
  return
}
// HAS llvm.intr.assume: "NAME"|^exit 1
llvm.func @f(%a: i1) {
  "NAME"(%a) {op_bundle_sizes = array<i32>} : (i1) -> ()
  llvm.return
}
// HAS llvm.intr.debugtrap llvm.intr.trap: "NAME"|^exit 1
llvm.func @f() {
  "NAME"() : () -> ()
  llvm.return
}
// HAS llvm.intr.ubsantrap: "NAME"|^exit 1
llvm.func @f() {
  "NAME"() {failureKind = 1 : i8} : () -> ()
  llvm.return
}
// HAS quant.dcast: "NAME"|^exit 1
func.func @f(%a: !quant.uniform<i8:f32, 1.0>) {
  %0 = "NAME"(%a) : (!quant.uniform<i8:f32, 1.0>) -> f32
  return
}
// HAS quant.qcast: "NAME"|^exit 1
func.func @f(%a: f32) {
  %0 = "NAME"(%a) : (f32) -> !quant.uniform<i8:f32, 1.0>
  return
}
// HAS quant.scast: "NAME"|^exit 1
func.func @f(%a: !quant.uniform<i8:f32, 1.0>) {
  %0 = "NAME"(%a) : (!quant.uniform<i8:f32, 1.0>) -> i8
  return
}
// -----
// FACT memrefs_allow_any_layout:
// TRUE: ^exit 0
func.func private @f(tensor<4xf32> {bufferization.buffer_layout = strided<[1], offset: ?>})
// -----
// FACT xegpu_of_blocks:
// TRUE: only supported for 1D
func.func private @f(!xegpu.tensor_desc<8x16xf32, #xegpu.block_tdesc_attr<memory_space = slm>>)
// -----
// FACT layouts_come_in_pairs:
// TRUE: must be used together
func.func private @f() attributes {a = #xegpu.layout<sg_layout = [2, 1], lane_layout = [8, 1], lane_data = [1, 2]>}
