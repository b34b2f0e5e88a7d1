// FACT numbers_first_text: --convert-cf-to-llvm
// TRUE: assert_msg_0
func.func @f(%c: i1) {
  cf.assert %c, "no"
  return
}
// -----
// FACT kernels_assert_by_call: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: __assertfail
gpu.module @k {
  gpu.func @f(%c: i1) kernel {
    cf.assert %c, "no"
    gpu.return
  }
}
// -----
// FACT known_sizes_prefix: --gpu-kernel-outlining
// 'gpu.': gpu\.known_block_size
// '': known_block_size
func.func @f() {
  %c = arith.constant 2 : index
  gpu.launch blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c) threads(%u, %v, %w) in (%l = %c, %m = %c, %n = %c) {
  gpu.terminator
  }
  return
}
// -----
// FACT outlines_cluster_sizes: --gpu-kernel-outlining
// TRUE: known_cluster_size
func.func @f() {
  %c = arith.constant 2 : index
  gpu.launch clusters(%a0, %a1, %a2) in (%b0 = %c, %b1 = %c, %b2 = %c) blocks(%x, %y, %z) in (%i = %c, %j = %c, %k = %c) threads(%u, %v, %w) in (%l = %c, %m = %c, %n = %c) {
  gpu.terminator
  }
  return
}
// -----
// FACT nvvm_barriers_by_pointer: --convert-nvgpu-to-nvvm
// TRUE: nvvm\.mbarrier\.init %
func.func @f(%c: index) {
  %b = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  nvgpu.mbarrier.init %b[%c], %c : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  return
}
// -----
// FACT shuffles_ask_when_used: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// FALSE: return_value_and_is_valid
gpu.module @k {
  gpu.func @f(%v: f32, %o: i32) -> f32 {
    %w = arith.constant 32 : i32
    %r, %p = gpu.shuffle xor %v, %o, %w : f32
    gpu.return %r : f32
  }
}
// -----
// FACT rocdl_shuffles: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: ds_bpermute
gpu.module @k {
  gpu.func @f(%v: f32, %o: i32) -> f32 {
    %w = arith.constant 32 : i32
    %r, %p = gpu.shuffle xor %v, %o, %w : f32
    gpu.return %r : f32
  }
}
// -----
// FACT rocdl_shuffles_all: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: ds_bpermute
gpu.module @k {
  gpu.func @f(%v: f32, %o: i32) -> f32 {
    %w = arith.constant 32 : i32
    %r, %p = gpu.shuffle up %v, %o, %w : f32
    gpu.return %r : f32
  }
}
// -----
// FACT rocdl_lane_is_bounded: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: mbcnt[\s\S]*range
gpu.module @k {
  gpu.func @f() -> index {
    %i = gpu.lane_id
    gpu.return %i : index
  }
}
// -----
// FACT rocdl_sizes_by_calls: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: __ockl_get_local_size
gpu.module @k {
  gpu.func @f() -> index {
    %i = gpu.block_dim x
    gpu.return %i : index
  }
}
// -----
// FACT cluster_dim_blocks_lowers: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: sreg\.cluster\.nctaid
gpu.module @k {
  gpu.func @f() -> index {
    %i = gpu.cluster_dim_blocks x
    gpu.return %i : index
  }
}
// -----
// FACT rocdl_knows_intrinsics: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: llvm\.intr\.exp
gpu.module @k {
  gpu.func @f(%a: f32) -> f32 {
    %b = math.exp %a : f32
    gpu.return %b : f32
  }
}
// -----
// FACT rocdl_buffer_layout: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// 'p8:128:128:128:48': p8:128:128:128:48
// 'p8:128:128': p8:128:128
// '': .
gpu.module @k {
  gpu.func @f() kernel {
    gpu.return
  }
}
// -----
// FACT newer_libdevice: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: __nv_fast_expf
gpu.module @k {
  gpu.func @f(%a: f32) -> f32 {
    %b = math.exp %a fastmath<afn> : f32
    gpu.return %b : f32
  }
}
// -----
// FACT shares_kernel_texts: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// FALSE: printfFormat_1
gpu.module @k {
  gpu.func @f() kernel {
    gpu.printf "hi"
    gpu.printf "hi"
    gpu.return
  }
}
// -----
// FACT absi_calls_libdevice: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: __nv_abs
gpu.module @k {
  gpu.func @f(%a: i32) -> i32 {
    %b = math.absi %a : i32
    gpu.return %b : i32
  }
}
// -----
// FACT global_ids_lower: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: nvvm\.read
gpu.module @k {
  gpu.func @f() -> index {
    %z = index.constant 0
    %i = gpu.global_id x
    gpu.return %i : index
  }
}
// -----
// FACT ocml_has_remainders: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: __ocml_fmod
gpu.module @k {
  gpu.func @f(%a: f32) -> f32 {
    %b = arith.remf %a, %a : f32
    gpu.return %b : f32
  }
}
// -----
// FACT rocdl_bfloats_are_integers: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// TRUE: llvm\.func @f\([^)]*i16
gpu.module @k {
  gpu.func @f(%a: bf16) -> bf16 {
    gpu.return %a : bf16
  }
}
// -----
// FACT fences_barriers: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: nvvm\.barrier(?!0)
gpu.module @k {
  gpu.func @f() kernel {
    gpu.barrier
    gpu.return
  }
}
// -----
// FACT multiplies_bf16: --convert-nvgpu-to-nvvm
// TRUE: nvvm\.mma\.sync
func.func @f(%a: vector<2x2xbf16>, %b: vector<1x2xbf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8]} : (vector<2x2xbf16>, vector<1x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
  return %d : vector<2x2xf32>
}
// -----
// FACT clocks_are_pure: --canonicalize
// FALSE: ^exit 0[\s\S]*sreg\.clock
func.func @f() {
  %c = nvvm.read.ptx.sreg.clock : i32
  return
}
// -----
// FACT known_sizes_are_exact: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: ntid\.x range <i32, 6, 7>
gpu.module @k {
  gpu.func @f(%m: memref<?xindex>) kernel attributes {known_block_size = array<i32: 6, 1, 1>} {
    %0 = gpu.block_dim x
    memref.store %0, %m[%0] : memref<?xindex>
    gpu.return
  }
}
// -----
// FACT nvvm_converts_vectors: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: llvm\.insertelement
gpu.module @k {
  gpu.func @f(%v: vector<4xf32>, %x: f32) -> vector<4xf32> {
    %0 = vector.insert %x, %v[1] : f32 into vector<4xf32>
    gpu.return %0 : vector<4xf32>
  }
}
// -----
// FACT expecting_returns_state: --convert-nvgpu-to-nvvm
// TRUE: arrive\.expect_tx .*-> i64
func.func @f(%b: !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>, %i: index, %n: index) {
  nvgpu.mbarrier.arrive.expect_tx %b[%i], %n : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  return
}
// -----
// FACT rejects_nested_references: --gpu-kernel-outlining
// TRUE: ^exit 1
module @outer {
  module @inner {
    func.func private @g()
  }
  func.func @f(%n: index) {
    gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %g = %n) threads(%h, %i, %j) in (%k = %n, %l = %n, %m = %n) {
      "test.use"() {callee = @inner::@g} : () -> ()
      gpu.terminator
    }
    return
  }
}
// -----
// FACT ids_have_ranges: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: tid\.x range
gpu.module @k {
  gpu.func @f(%m: memref<?xindex>) kernel attributes {known_block_size = array<i32: 6, 1, 1>} {
    %0 = gpu.thread_id x
    memref.store %0, %m[%0] : memref<?xindex>
    gpu.return
  }
}
// -----
// FACT copies_result_attributes: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: llvm\.noundef
gpu.module @k {
  gpu.func @f(%x: f32) -> (f32 {llvm.noundef}) {
    gpu.return %x : f32
  }
}
// -----
// FACT copies_argument_attributes: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: ^exit 0[\s\S]*noundef
gpu.module @k {
  gpu.func @f(%n: i32 {llvm.noundef}, %m: memref<4xf32> {llvm.noundef}) {
    gpu.return
  }
}
// -----
// FACT declared_in_kernels: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// {'free', 'malloc'}: ^exit 0
// {'malloc'}: 'free' does not reference
// set(): 'malloc' does not reference
gpu.module @k {
  gpu.func @f(%n: index) {
    %m = memref.alloc() : memref<4xf32>
    memref.dealloc %m : memref<4xf32>
    gpu.return
  }
}
// -----
// FACT inline_ptx_counts_results: --convert-nvvm-to-llvm
// TRUE: @\$2
llvm.func @f(%a: i32, %p: i1) {
  %0 = nvvm.inline_ptx "mov.b32 $0, $1;" ro (%a : i32), predicate = %p -> i32
  llvm.return
}
// -----
// FACT kernels_are_affine_scopes:
// TRUE: ^exit 0
gpu.module @k {
  gpu.func @f(%m: memref<?xf32>, %n: i32) kernel {
    %i = arith.index_cast %n : i32 to index
    %v = affine.load %m[symbol(%i)] : memref<?xf32>
    gpu.return
  }
}
// -----
// FACT largest_size: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// 4294967295: ntid\.y range <i32, 1, -1>
// 2147483647: ntid\.x range <i32, 1, 2147483647>
// 0: .
gpu.module @k {
  gpu.func @f(%m: memref<?xindex>) kernel {
    %0 = gpu.block_dim x upper_bound 2147483647
    %1 = gpu.block_dim y upper_bound 4294967295
    memref.store %0, %m[%1] : memref<?xindex>
    gpu.return
  }
}
// -----
// FACT libdevice_lacks: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// HAS math.acos math.acosh math.asin math.asinh math.atanh math.cosh math.erf math.round math.roundeven math.sinh: ^exit (?!0[\s\S]*__nv_)
gpu.module @k {
  func.func @f(%a: f32) -> f32 {
    %0 = "NAME"(%a) : (f32) -> f32
    return %0 : f32
  }
}
// HAS arith.maxnumf arith.minnumf arith.remf math.copysign: ^exit (?!0[\s\S]*__nv_)
gpu.module @k {
  func.func @f(%a: f32, %b: f32) -> f32 {
    %0 = "NAME"(%a, %b) : (f32, f32) -> f32
    return %0 : f32
  }
}
// HAS math.fma: ^exit (?!0[\s\S]*__nv_)
gpu.module @k {
  func.func @f(%a: f32) -> f32 {
    %0 = "NAME"(%a, %a, %a) : (f32, f32, f32) -> f32
    return %0 : f32
  }
}
// HAS math.fpowi: ^exit (?!0[\s\S]*__nv_)
gpu.module @k {
  func.func @f(%a: f32, %b: i32) -> f32 {
    %0 = "NAME"(%a, %b) : (f32, i32) -> f32
    return %0 : f32
  }
}
// HAS math.isnan math.isinf math.isfinite: ^exit (?!0[\s\S]*__nv_)
gpu.module @k {
  func.func @f(%a: f32) -> i1 {
    %0 = "NAME"(%a) : (f32) -> i1
    return %0 : i1
  }
}
// -----
// FACT names_formats: --gpu-module-to-binary=format=x
// TRUE: fatbin|isa
gpu.module @k [#nvvm.target] {
}
// -----
// FACT nests_may_have_effects: --convert-parallel-loops-to-gpu
// TRUE: gpu\.launch
#map = #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>
#thread = #gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>
func.func @f(%x: f32) {
  %m = memref.alloc() : memref<4xf32>
  %k = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %x, %k[%i] : memref<4xf32>
    scf.parallel (%j) = (%c0) to (%c4) step (%c1) {
      memref.store %x, %m[%j] : memref<4xf32>
    } {mapping = [#thread]}
  } {mapping = [#map]}
  return
}
// -----
// FACT nests_may_reduce: --convert-parallel-loops-to-gpu
// TRUE: gpu\.launch
#map = #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>
#thread = #gpu.loop_dim_map<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>
func.func @f(%m: memref<4xf32>, %k: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %r = scf.parallel (%j) = (%c0) to (%c4) step (%c1) init (%x) -> f32 {
      %v = memref.load %m[%j] : memref<4xf32>
      scf.reduce(%v : f32) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scf.reduce.return %s : f32
      }
    } {mapping = [#thread]}
    memref.store %r, %k[%i] : memref<4xf32>
  } {mapping = [#map]}
  return
}
// -----
// FACT nvvm_refuses: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// HAS llvm.intr.ceil llvm.intr.cos llvm.intr.exp llvm.intr.exp2 llvm.intr.fabs llvm.intr.floor llvm.intr.log llvm.intr.log10 llvm.intr.log2 llvm.intr.round llvm.intr.roundeven llvm.intr.sin llvm.intr.sqrt: failed to legalize
gpu.module @k {
  llvm.func @f(%a: f32) -> f32 {
    %0 = "NAME"(%a) : (f32) -> f32
    llvm.return %0 : f32
  }
}
// HAS llvm.intr.pow llvm.intr.copysign llvm.frem: failed to legalize
gpu.module @k {
  llvm.func @f(%a: f32) -> f32 {
    %0 = "NAME"(%a, %a) : (f32, f32) -> f32
    llvm.return %0 : f32
  }
}
// HAS llvm.intr.sincos: failed to legalize
gpu.module @k {
  llvm.func @f(%a: f32) -> !llvm.struct<(f32, f32)> {
    %0 = "NAME"(%a) : (f32) -> !llvm.struct<(f32, f32)>
    llvm.return %0 : !llvm.struct<(f32, f32)>
  }
}
// -----
// FACT pipeline_names_ptx: --gpu-lower-to-nvvm-pipeline --dump-pass-pipeline
// TRUE: ptx60
module {
  gpu.module @k {
  }
}
// -----
// FACT redux_has_reduction_kind: --mlir-print-op-generic
// TRUE: nvvm\.reduction_kind|reduction_kind
llvm.func @f(%a: i32, %b: i32) {
  %0 = nvvm.redux.sync add %a, %b : i32 -> i32
  llvm.return
}
// -----
// FACT rocdl_ranges: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// 'ranges': range <i32
// 'arrays': workgroup\.dim\.x \{range
// 'arrays of ids': .
gpu.module @k {
  gpu.func @f(%m: memref<?xindex>) kernel attributes {gpu.known_block_size = array<i32: 6, 1, 1>, known_block_size = array<i32: 6, 1, 1>} {
    %0 = gpu.thread_id x
    %1 = gpu.block_dim x
    memref.store %0, %m[%1] : memref<?xindex>
    gpu.return
  }
}
// -----
// FACT rocdl_refuses: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-rocdl))"
// HAS llvm.intr.ceil llvm.intr.cos llvm.intr.exp llvm.intr.exp2 llvm.intr.fabs llvm.intr.floor llvm.intr.log llvm.intr.log10 llvm.intr.log2 llvm.intr.sin llvm.intr.sqrt: failed to legalize
gpu.module @k {
  llvm.func @f(%a: f32) -> f32 {
    %0 = "NAME"(%a) : (f32) -> f32
    llvm.return %0 : f32
  }
}
// HAS llvm.intr.pow llvm.frem: failed to legalize
gpu.module @k {
  llvm.func @f(%a: f32) -> f32 {
    %0 = "NAME"(%a, %a) : (f32, f32) -> f32
    llvm.return %0 : f32
  }
}
// -----
// FACT size_properties: --mlir-print-op-generic
// ('known_block_size', 'known_grid_size', 'known_cluster_size'): <\{[^\n]*known_cluster_size[^\n]*\}>
// ('known_block_size', 'known_grid_size'): <\{[^\n]*known_block_size[^\n]*\}>
// (): .
gpu.module @k {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 1, 1, 1>, known_cluster_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
// -----
// FACT stmatrix_ends_in_semicolon: --convert-nvvm-to-llvm
// TRUE: inline_asm[^\n]*;"
// FALSE: inline_asm
llvm.func @f(%p: !llvm.ptr<3>, %v: i32) {
  nvvm.stmatrix %p, %v {layout = #nvvm.mma_layout<row>} : !llvm.ptr<3>, i32
  llvm.return
}
// -----
// FACT tensor_stores_take_hints:
// TRUE: ^exit 0
llvm.func @f(%t: !llvm.ptr, %s: !llvm.ptr<3>, %c: i32, %h: i64) {
  nvvm.cp.async.bulk.tensor.global.shared.cta %t, %s, box[%c] l2_cache_hint = %h : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}
// -----
// FACT converts_nvgpu_in_loops: --convert-nvgpu-to-nvvm
// TRUE: scf\.for[^\n]*\(i32\)
func.func @f(%c: index, %t: !nvgpu.device.async.token) {
  %r = scf.for %i = %c to %c step %c iter_args(%s = %t) -> !nvgpu.device.async.token {
    nvgpu.device_async_wait %s {numGroups = 1 : i32}
    scf.yield %s : !nvgpu.device.async.token
  }
  return
}
// -----
// FACT inline_ptx_updates_values: --convert-nvvm-to-llvm
// TRUE: llvm\.return %[0-9]
llvm.func @f(%a: i32) -> i32 {
  nvvm.inline_ptx "add.s32 $0, $0, 1;" rw (%a : i32)
  llvm.return %a : i32
}
// -----
// FACT libdevice_loses_vectors: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: return %0 :
gpu.module @k {
  gpu.func @f(%a: vector<2xf32>) -> vector<2xf32> {
    %0 = math.exp %a : vector<2xf32>
    gpu.return %0 : vector<2xf32>
  }
}
// -----
// FACT kernel_math_by_rows: "--pass-pipeline=builtin.module(gpu.module(convert-gpu-to-nvvm))"
// TRUE: __nv_expf
gpu.module @k {
  gpu.func @f(%a: vector<2x2xf32>) -> vector<2x2xf32> {
    %0 = math.exp %a : vector<2x2xf32>
    gpu.return %0 : vector<2x2xf32>
  }
}
