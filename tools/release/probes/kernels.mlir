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
