"""What `mlir-opt --gpu-to-llvm` does, per LLVM release, as data.

Rules and lowering ask a `Profile` for a fact; nothing else in this package compares version numbers. The
facts of all nine were measured by running builds of them. What is known from elsewhere is said beside them
in this file: a change is in a release if it was merged before that release branched, in the last weeks of
January (even numbers) and July (odd ones). 17 and 18 were run as built with assertions: where these stop a
run (launches from a gpu.binary and gpu.set_default_device in 18, bare pointers of unranked memrefs), the fact
is that of 19.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

HostShared = Literal["never", "sync", "sync-at-most-one"]
AccessFlags = Literal["none", "all", "by-stride"]
SyncLaunch = Literal["error", "verifier"]
VectorStep = Literal["constant", "stays", "intrinsic"]
FullMasks = Literal["none", "made", "all"]
RocdlRanges = Literal["arrays of ids", "arrays", "ranges"]


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts of one LLVM release. Each field tells its source: a measured behaviour or an upstream PR."""

    version: int
    """The LLVM major version."""

    measured: bool
    """Whether this release itself was run; otherwise its facts are those of `facts_of`, adjusted."""

    facts_of: int
    """The measured release that these facts are taken from."""

    # What happens to an op that no pattern takes.

    rejects_loudly: bool
    """The gpu dialect is marked illegal: the first op left over ends the run with `failed to legalize
    operation`, exit 1. Measured in 16. From 18 the op stays in place, exit 0, no message; only
    gpu.launch_func is an error."""

    missing_ops: frozenset[str]
    """Ops of the gpu dialect that this release does not know at all."""

    greedy_prepass: bool
    """A greedy rewrite runs first: an unused gpu.alloc and an empty gpu.launch vanish, block arguments
    that always carry one value fold away, equal blocks merge. Measured in 20, 22 and 24, not in 19."""

    # Dependencies.

    alloc_needs_one_dependency: bool
    """gpu.alloc and gpu.dealloc lower only if async with exactly one dependency. PR 191661 (LLVM 23)
    takes zero or one, sync or async, zero being the null stream."""

    alloc_null_token: bool
    """An async gpu.alloc or gpu.dealloc without dependency lowers its token to the null stream, which a
    later gpu.wait takes for an event. PR 191661 (LLVM 23)."""

    launch_max_dependencies: int | None
    """Most dependencies of an async gpu.launch_func; None: no limit, the first is the primary stream and
    the others are joined into it by events. PR 188987 (LLVM 23)."""

    launch_sync_dependencies: SyncLaunch
    """Sync gpu.launch_func with dependencies: `error` from the conversion, or rejected in the `verifier`
    (measured in 24)."""

    host_shared: HostShared
    """gpu.alloc host_shared: `never` lowers (16), only `sync` with any number of dependencies, the first
    being the stream (19, 22), or `sync-at-most-one` (24, PR 191661)."""

    # Tokens.

    yield_keeps_stream_with_nvvm: bool
    """async.yield of a gpu token yields the raw stream, unrecorded and never destroyed, when the NVVM
    dialect is loaded. Measured in 19 and 22, not in 16; ended by PR 190717 (LLVM 23)."""

    # Memory.

    memset_widths: frozenset[int]
    """Bit widths of gpu.memset values that lower: 32 in 16; 16 and 32 from 18."""

    memset_complex_crashes: bool
    """gpu.memset of a complex<f32> crashes the tool. Measured in 22."""

    copy_in_any_space: bool
    """gpu.memcpy and gpu.memset lower in all integer memory spaces, not in 0 only. Measured from 18 on."""

    alloc_in_any_space: bool
    """gpu.alloc lowers in all integer memory spaces, not in 0 only; gpu.dealloc never does. Measured: 23."""

    gpu_address_space_lowers: bool
    """Memrefs in `#gpu.address_space<..>` are accepted (16); later an `error:` is printed with exit 0."""

    functions_need_entry_only: bool
    """A function is converted even if a block other than the first has arguments that cannot be. Measured:
    20 to 23, not 18 and 19."""

    functions_lose_no_inline: bool
    """`no_inline` of a func.func does not reach its llvm.func. Measured: 20 to 24, not 16 to 19."""

    malloc_before_memory_space: bool
    """A memref.alloc that stays because of its memory space leaves the declaration of malloc behind.
    Measured: in 18 to 20, not in 16 and 22 to 24; 17 crashes."""

    reserved_functions_have_types: bool
    """What would call malloc or its like stays where an llvm.func of that name has another type.
    Measured: 20 to 24; 18 and 19 crash."""

    gpu_address_space_alloc_crashes: bool
    """gpu.alloc of a memref in `#gpu.address_space<..>` crashes the tool. Measured in 19."""

    # Launches.

    launch_result_crashes_parser: bool
    """`%r = gpu.launch` without `async` crashes the parser, mlir-lsp-server's too. 16 to 22; 24 says
    `gpu.launch requires 'async' keyword to return a value`."""

    launch_asks_for_shared: bool
    """mgpuLaunchKernel raises the kernel's limit of dynamic shared memory, which is 48 KiB, to what the
    launch takes. Source: CudaRuntimeWrappers.cpp, from 18 on."""

    launch_clusters: bool
    """gpu.launch_func takes `clusters in (...)`. Not in 16 (parse error there)."""

    launch_integer_sizes: bool
    """gpu.launch_func takes i32 or i64 sizes (`: i64`). Not in 16 (parse error there)."""

    async_object: bool
    """gpu.launch_func takes an explicit stream `<%s : !llvm.ptr>`, dropped whenever the op needs
    conversion (index dimensions or memref arguments). From 18; not in 16."""

    async_object_conflict: str
    """The verifier's message for an explicit stream beside `async` or dependencies; empty: accepted."""

    async_object_excludes_async: bool
    """The conflict is there with `async` alone, too. Measured: in 24, not in 23."""

    async_object_on_launch: bool
    """gpu.launch takes an explicit stream too. PR 213031 (LLVM 24)."""

    launch_checked_after_conversion: bool
    """The verifier runs on launches whose memref arguments were expanded: a gpu.func kernel that still takes
    memrefs fails, `got 6 kernel operands but expected 2`. Measured in 19, 22 and 24; 16 accepts it."""

    module_per_launch: bool
    """The GPU module is loaded before and unloaded directly after every launch. 16, 19; from 21 it is
    loaded once in a global constructor, PR 135478."""

    largest_size: int
    """The upper bound of a size to which the range that convert-gpu-to-nvvm writes adds nothing; 0: it adds
    one to all, which may wrap. Measured: 0 in 20, INT32_MAX in 22 and 23, UINT32_MAX in 24."""

    ptx_ends_in_null: bool
    """PTX in a gpu.binary ends in a null character. Measured: in 19, not from 21 on (PR 133019)."""

    ptx_version_is_raised: bool
    """A version of PTX that is too old for its chip is raised; else LLVM ends the process. Measured: raised
    in 19 and 21, not in 22."""

    pipeline_names_ptx: bool
    """The default of gpu-lower-to-nvvm-pipeline's `cubin-features` is `+ptx60`. Measured: in 19 to 22; the
    same default of targets hides it up to 21. Not in 23."""

    names_formats: bool
    """What is said of a wrong `format` of gpu-module-to-binary names those that there are. Measured in 23."""

    one_launch_per_module: bool
    """A second launch from one gpu.module fails: `redefinition of symbol named 'K_gpubin_cst'`. 16."""

    intersperse_sizes: bool
    """The option `intersperse-sizes-for-kernels` exists. PR 123384 (LLVM 20). Measured: in 21, not in 19."""

    opaque_pointers: bool
    """Pointers are `!llvm.ptr`; 16 prints typed pointers unless asked with `use-opaque-pointers`."""

    numbers_first_text: bool
    """The first text of an assertion has a number, too (`assert_msg_0`). Measured: 16 and 17."""

    annotated_binaries: bool
    """Kernels come from an attribute on gpu.module named by `gpu-binary-annotation`. Measured in 16, 17 and,
    for modules without targets, 18; 19 knows gpu.binary only."""

    keeps_targeted_launches: bool
    """Launches from a gpu.module with targets, or from a gpu.binary, stay gpu.launch_func, although others
    are expanded. Measured in 18."""

    launches_say_sizes: bool
    """mgpuModuleLoad takes the size of the binary, mgpuLaunchKernel the number of parameters. Measured in 18
    and later, not in 16 and 17."""

    casts_in_order: bool
    """The casts that the conversion driver makes at one place stand in the order in which they were asked
    for; later the last one is the first. Measured: 17 and 18 the former, 19 the latter."""

    alloc_host_shared_argument: bool
    """mgpuMemAlloc takes a third argument, isHostShared. From 18."""

    # Lowered code.

    missing_options: frozenset[str]
    """Options of gpu-to-llvm that this release does not know: `no such option`. Measured: 16 lacks bare
    pointers for host functions and interspersed sizes, 19 the latter."""

    poison_aggregates: bool
    """Aggregates are built from `llvm.mlir.poison`; `llvm.mlir.undef` before. Measured: undef in 16 and 19,
    poison in 21, 22 and 24; PR 125629."""

    copy_size_from_sizes: bool
    """The element count of a dynamic gpu.memcpy or gpu.memset is the product of all sizes of the descriptor;
    before, it is the first stride times the first size. Measured: 19 the latter, 21 and 22 the former; PR
    128820."""

    lazy_casts: bool
    """The conversion driver makes casts, and descriptors of memref arguments, where a value first needs one;
    before, arguments get theirs with the function, last argument first, and each result its own. Measured:
    19 the latter, 22 the former."""

    null_is_zero: bool
    """The null pointer is `llvm.mlir.zero`; `llvm.mlir.null` before. Measured: from 18 on."""

    casts_arguments_twice: bool
    """What a memref argument has become goes through casts there and back where it is used. Measured: 19."""

    casts_at_old: bool
    """A result that an op which stays still uses is cast where the replaced op stood, each by itself; later
    where the new value is made, once for all. Measured: 19 the former, 20 and later the latter."""

    last_successor_first: bool
    """The conversion driver visits the blocks of a region from the entry, the last successor first; later
    depth first. It decides the order of what joins insert after one op. Measured: 16 the former, 19 the
    latter."""

    access_flags: AccessFlags
    """Flags on the address arithmetic of memref.load and store: `none`, `all` (nsw, nuw, inbounds), or
    `by-stride`: nuw only where no stride is dynamic or negative. Measured: 19 none, 22 all, 24 by-stride."""

    packs_llvm_types_only: bool
    """A function with several results converts only if all are of LLVM type. Measured in 19 and 21; 22 makes
    a struct that the verifier rejects."""

    unranked_sizes_shared: bool
    """Several unranked results: all sizes are computed first, from shared constants, then all are copied;
    later each by itself. Measured: 19 and 21 the former, 22 the latter."""

    atomic_maximum_is_fmax: bool
    """memref.atomic_rmw maximumf becomes `fmax`, and maxnumf does not lower; later `fmaximum` and `fmax`.
    Measured: 19 the former, 22 the latter."""

    casts_must_reconcile: bool
    """reconcile-unrealized-casts ends the run at a cast that stays; later it says nothing. Measured: 16 the
    former, 19 and 22 the latter."""

    canonicalize_merges_blocks: bool
    """canonicalize merges blocks that do the same; later it does so only if asked. Measured: 16 and 18 the
    former, 19 and 22 the latter."""

    switch_bits: int
    """The width to which convert-scf-to-cf casts what scf.index_switch looks at; 0: the op stays. Measured: 0
    in 16, 32 in 19 and 22, 64 in 24."""

    cse_compares_regions: bool
    """cse takes ops with regions for equal if these do the same. Measured: from 17 on."""

    functions_lose_public: bool
    """A function that says it is public does so no more once it is converted. Measured: from 18 on."""

    functions_with_bodies: bool
    """convert-func-to-llvm converts arith and cf as well. Measured: up to 19."""

    functions_with_data_layout: bool
    """It gives the module an `llvm.data_layout`. Measured: up to 17."""

    branches_must_convert: bool
    """convert-cf-to-llvm fails at a branch that it cannot convert. Measured: from 20 on."""

    affine_flags: bool
    """lower-affine says of products that they do not overflow. Measured: from 20 on."""

    affine_extrema_are_ops: bool
    """lower-affine takes arith.maxsi and arith.minsi, not a comparison and a select. Measured: from 19 on."""

    finds_remainders_in_sums: bool
    """`a + e - (e floordiv c) * c` is `a + e mod c`, not only without `a`. Measured: from 21 on."""

    pointers_of_all_views: bool
    """expand-strided-metadata takes the pointer of what any view is a view of; later only that of a
    subview or a reinterpret_cast. Measured: up to 21."""

    extracts_from_subviews: bool
    """expand-strided-metadata computes what is extracted from a memref.subview before that is expanded
    itself. Measured: from 19 on."""

    extracts_from_reshapes: bool
    """expand-strided-metadata computes what is extracted from a memref.expand_shape or collapse_shape before
    that is expanded itself. Measured: from 20 on."""

    drops_dimensions_by_position: bool
    """A subview whose strides are not known drops extents of 1 by where they stand, not by their strides.
    Measured: from 23 on."""

    expanded_sizes_are_given: bool
    """expand-strided-metadata takes the sizes of a memref.expand_shape from its output_shape, and divides
    nothing. Measured: from 23 on."""

    collapses_to_least_stride: bool
    """expand-strided-metadata gives dimensions that become one the least of their strides, not the last.
    Measured: up to 19."""

    parallel_ends_with_yield: bool
    """scf.parallel ends with scf.yield, an scf.reduce for each value before that. Measured: up to 17."""

    expands_affine_indices: bool
    """lower-affine lowers affine.delinearize_index and affine.linearize_index. Measured: from 20 on."""

    index_sums_have_flags: bool
    """It says of their sums and products that they do not overflow. Measured: from 21 on."""

    loop_annotations: Literal["none", "condition", "for", "all"]
    """Where convert-scf-to-cf takes the `llvm.loop_annotation` of a loop: nowhere, to the branch into the
    body of scf.for, to the branch back of scf.for, or of scf.while as well. Measured: nowhere in 16, 17 and
    19, the condition in 20, scf.for in 21, both in 22 and 24."""

    copies_argument_attributes: bool
    """The passes for kernels give the LLVM arguments those attributes that LLVM knows. 16 and 17 take the
    list as it is, and fail where a memref becomes several arguments. Measured: not in 16 and 17."""

    copies_result_attributes: bool
    """They give the LLVM result the attributes of the result. Measured: 16 to 22 yes, 24 no."""

    declared_in_kernels: frozenset[str]
    """Which of malloc and free are declared in the gpu.module where memory is allocated, not around it, where
    kernels do not see them. Measured: neither in 16 and 17, malloc in 19 to 21, both in 22."""

    clocks_are_pure: bool
    """Nvvm ops that read a clock go where nobody uses what they read. Measured: in 19 and 20, not in 21, 22
    and 24; 16 to 18 have none."""

    drops_identity_transposes: bool
    """A greedy rewrite erases linalg.transpose by the identity, on buffers as well, where it copies.
    Measured: in 19, not in 16 to 18 nor in 20 and later."""

    memory_effects: tuple[str, str]
    """What llvm.readnone of a function becomes: the name of the attribute, and the locations beside the usual
    three. Measured: in all."""

    keeps_function_attributes: bool
    """llvm.readnone and func.varargs stay beside what they become. Measured: in 23 and 24."""

    returns_bare_allocation: bool
    """With bare pointers a memref is returned as the pointer to free, not to access. Measured: not in 16."""

    copies_without_casts: bool
    """canonicalize has memref.copy take what any cast of a ranked memref is given; later only what the cast
    forgets something of. Measured: up to 21."""

    extracts_from_space_casts: bool
    """expand-strided-metadata looks through memref.memory_space_cast. Measured: from 20 on."""

    keeps_tf32: bool
    """Conversions to llvm take tf32 for converted, so that a function with it fails; later it stays.
    Measured: up to 19."""

    fills_quotients_first: bool
    """The real part of a complex quotient goes into its struct before the imaginary one is computed.
    Measured: in 18 to 20."""

    reads_all_shapes: bool
    """gpu-to-llvm converts memref.reshape by a shape of any integers. Measured: in 16."""

    counts_without_zeros: bool
    """The number of elements of a new buffer leaves sizes of 0 out. Measured: up to 19."""

    inlines_blocks_anywhere: bool
    """inline puts the blocks of a callee where only one may be, too. Measured: in 16 and 17."""

    transposes_by_source: bool
    """The loops of linalg.transpose are the dimensions of what it reads, not of what it writes. Measured: in
    16 to 18."""

    folds_in_place_once: bool
    """An op that is folded in place in a conversion is not folded again: scf.if of a condition that is
    negated twice. Measured: in 16, not in 19 and later."""

    region_branch_patterns: bool
    """canonicalize treats what all ops with regions pass on alike: values that are always the same are not
    passed, nor twice. Before, only loops and scf.if have patterns of their own. Measured: 22 the former, 16
    and 19 the latter."""

    newer_arith_patterns: bool
    """canonicalize puts the factors of two products together, extends what was extended and then truncated to
    a width between, and swaps the values of arith.select for a negation. Measured: in 19 and 22, not in
    16."""

    runs_single_steps: bool
    """canonicalize takes an scf.for from 0 to its own step for one round. Measured: in 24, not in 22."""

    folds_zero_strides: bool
    """canonicalize takes a stride of a subview that is a constant 0 into its type.
    Measured: in 16; 17 crashes, 18 to 23 leave it."""

    differences_without_flags: bool
    """canonicalize counts the rounds of an scf.for from `%a` to `%a + 1` even if that sum may wrap, of an
    scf.parallel never; from 22 on, of both, with `nsw` only (unsigned: `nuw`). Measured: 16 to 21, not 22."""

    newer_scf_patterns: bool
    """canonicalize folds scf.index_switch of a constant, and lets scf.while pass nothing twice or unread.
    Measured: in 19 and 22, not in 16."""

    never_dead: frozenset[str]
    """Ops that have no effect, or whose regions may have none, and that stay nevertheless. Measured:
    gpu.launch and async.execute in 16, async.execute in 19, neither in 22; xegpu.update_nd_offset up to 20,
    xegpu.atomic_rmw from 21 on."""

    drops_equal_arguments: bool
    """Where the greedy rewrite merges blocks, it also drops arguments that always carry one value. Measured:
    in 19 and 22, not in 16."""

    broadcasts_equal_elements: bool
    """canonicalize makes vector.broadcast of a vector.from_elements of equal elements; vector.splat before.
    Measured: 22 the former, 19 the latter."""

    extends_products: bool
    """canonicalize makes arith.mulsi_extended and mului_extended of a product of extended values whose upper
    half is taken. Measured: up to 20."""

    kernels_assert_by_call: bool
    """convert-gpu-to-nvvm makes a call of `__assertfail` of cf.assert; before, what it becomes on the host,
    which the verifier rejects in a gpu.module. Measured: from 20 on."""

    joins_insertions: bool
    """canonicalize makes vector.from_elements of vector.insert ops that give a whole one. Measured in 20 to
    23: from 22 on."""

    finds_uniform_reductions: bool
    """canonicalize marks reductions at the top of a gpu.launch as uniform. Measured: in 19 and 22, not in
    16."""

    known_sizes_prefix: str
    """What precedes `known_block_size` and `known_grid_size` on kernels. Measured: `gpu.` in 16 and 18,
    nothing in 19 and later."""

    trigonometric_intrinsics: bool
    """math.tan, tanh, sinh, cosh, asin, acos, atan and atan2 become intrinsics. Measured in 22; 19 leaves
    them."""

    exchanges_float_bits: bool
    """memref.generic_atomic_rmw of floats exchanges their bits; before, `llvm.cmpxchg` of floats fails in the
    verifier. Measured: 24 the former, 19 and 22 the latter."""

    assumes_by_bundles: bool
    """memref.assume_alignment has a result, without whose use it is dead, and becomes an `align` bundle;
    before, it becomes a test of the low bits. Measured: 22 the former, 19 the latter."""

    small_floats_stay: bool
    """arith ops on floats of 8 bits and less stay; before, they are made of integers and fail in the
    verifier. Measured: 22 the former, 19 and 21 the latter."""

    accesses_keep_alignment: bool
    """`alignment` of memref.load and store stays on the llvm op. Measured: in 22, not in 19 and 21."""

    converts_poison: bool
    """gpu-to-llvm converts the ub dialect. Measured: 19, 21 and 22 do, 20 does not."""

    converts_index_and_complex: bool
    """gpu-to-llvm converts the index and complex dialects. Measured: 19 and 22 do, 16 does not."""

    converts_math: bool
    """gpu-to-llvm converts the math dialect. Measured: from 18 on, not in 16 and 17."""

    converts_slices: bool
    """Slices and vector.fma of several dimensions become llvm. Measured: in 16 to 19, not from 20 on."""

    broadcasts_scalars: bool
    """gpu-to-llvm converts vector.broadcast of a scalar. Measured: 22 does, 16, 19 and 21 do not."""

    repeats_by_broadcasts: bool
    """convert-vector-to-scf repeats a scalar by vector.broadcast; by vector.splat before. Measured: 22
    does, 21 does not."""

    extracts_at_values: bool
    """convert-vector-to-scf takes and puts elements by vector.extract and vector.insert; by their like for
    elements before. Measured: 21 does, 19 does not; of 20 no build is at hand."""

    kernels_are_affine_scopes: bool
    """What is defined at the top of a gpu.func is a symbol of affine maps. Measured: 20 yes, 19 no."""

    full_masks_fold: FullMasks
    """Masks of transfers that leave nothing out and go by folding: `none` (17), those of vector.constant_mask
    (`made`, 18), constants as well (`all`, 19). Measured."""

    constant_masks_fold: bool
    """vector.constant_mask that says all or nothing is a constant. Measured: 21 does, 20 does not."""

    unit_transposes_fold: bool
    """vector.transpose that moves only dimensions of size 1, and keeps the type, folds. Measured: 21 does."""

    unit_transfers_are_plain: bool
    """A transfer of a vector of one element gets the map that need not be written. Measured: from 23 on."""

    positions_fold: bool
    """A position of vector.extract and vector.insert that is a constant becomes static by folding. Measured:
    21 does, 19 does not."""

    reads_scalars_as_vectors: bool
    """convert-vector-to-scf reads what a vector only repeats as a vector without dimensions; by memref.load
    before. Measured: from 22 on."""

    transposes_masks: bool
    """convert-vector-to-scf gives the mask of a write the dimensions that the vector gets. Measured: 18
    does, 17 does not."""

    prints_vectors_by_loops: bool
    """convert-vector-to-scf takes vector.print apart. Measured: 18 does, 17 does not."""

    vector_step: VectorStep
    """What vector.step of known length becomes: a `constant` (19), nothing (`stays`, 22), or an `intrinsic`
    (24). Measured."""

    step_intrinsic: str
    """The intrinsic that vector.step of scalable length becomes. Measured: experimental in 19, not in 21."""

    unrolls_bitcasts: bool
    """convert-vector-to-llvm takes vector.bitcast of several dimensions apart. Measured: 19 does, 18 does
    not."""

    shape_casts_by_slices: bool
    """convert-vector-to-llvm lowers vector.shape_cast by slices of the largest size that both shapes have in
    common; element by element before. Measured: 21 does, 19 does not."""

    casts_scalable_shapes: bool
    """convert-vector-to-llvm lowers vector.shape_cast of scalable vectors. Measured: in 18, not in 17."""

    contracts_rows_once: bool
    """convert-vector-to-llvm takes each column of a contraction out of its matrix once; once for each row
    before. Measured: 21 does, 19 does not."""

    unrolls_elements: bool
    """convert-vector-to-llvm takes vector.from_elements and to_elements of several dimensions apart, and puts
    rows that are gathered into poison. Measured: 22 does, 21 does not."""

    predicates_reductions: bool
    """vector.mask of a vector.reduction becomes a reduction of LLVM's vp intrinsics. Measured: in 17, not in
    16."""

    knows_scalable_sizes: bool
    """Predicated reductions and vectors of pointers are as long as scalable vectors. Measured: from 19 on."""

    reassociates_by_flag: bool
    """The intrinsics of sums and products of floats have `reassoc`, no flags. Measured: in 17, not in 18."""

    single_lanes_alone: bool
    """A scalar that is repeated once is inserted and not shuffled. Measured: 22 to 24."""

    loads_single_elements: bool
    """convert-vector-to-llvm reads and writes vectors of one element by memref.load and store. Measured: in
    19, not in 21."""

    vector_constants_fold: bool
    """Parts of constant vectors fold (vector.extract, insert, extract_strided_slice), extractions see through
    shuffles, and insertions skip those to the same place. Measured: in 21, not in 19."""

    shuffles_lose_poison: bool
    """vector.shuffle takes nothing (-1) where it would take poison. Measured: 23 does, 22 does not."""

    bounds_masks: bool
    """What a mask's numbers are compared with is at most the largest i32. Measured: in 23 and 24."""

    integer_math_by_rows: bool
    """math.absi, ctlz and cttz of vectors of several dimensions are taken apart. Measured: in 19 and 24, not
    in 22."""

    nvvm_barriers_by_pointer: bool
    """Ops of nvvm on barriers in shared memory have no names of their own, and convert-nvgpu-to-nvvm copies
    into memory of the cluster. Measured: 22 to 24; 19 to 21 have `nvvm.mbarrier.init.shared` and its like."""

    expecting_returns_state: bool
    """convert-nvgpu-to-nvvm gives `nvvm.mbarrier.arrive.expect_tx` without a predicate a result. Measured: in
    23 and 24, not in 22."""

    gathers_rows: bool
    """vector.gather of several dimensions is converted row by row. Measured: up to 20."""

    builtin_vectors_of_pointers: bool
    """A vector of pointers is `vector<4x!llvm.ptr>`; before, `!llvm.vec<4 x ptr>`. Measured: 22 the former,
    19 the latter."""

    ids_have_ranges: bool
    """Reads of ids and sizes in kernels carry the range that is known of them. Measured: in 22, not in 19."""

    rejects_nested_references: bool
    """gpu-kernel-outlining refuses a launch that names a symbol in another module. Measured: in 23, not in
    22."""

    outlines_cluster_sizes: bool
    """gpu-kernel-outlining writes `known_cluster_size`. Measured: not in 19, 21 and 22. Read: from 23 on,
    PR 176894 of January 2026, after 22 had branched."""

    known_sizes_are_exact: bool
    """The range of a size that the kernel knows is that size alone; before, it ends there, and an upper bound
    on the op goes before it. Measured: 24 the former, 22 and 23 the latter."""

    multiplies_bf16: bool
    """nvgpu.mma.sync and mma.sp.sync convert of matrices of bf16, whose pairs are passed as i32. Measured: 23
    and 24 do, 19 to 22 leave them."""

    fences_barriers: bool
    """gpu.barrier becomes `nvvm.barrier`, and for AMD `rocdl.s.barrier` between fences; before,
    `nvvm.barrier0` and `rocdl.barrier`. Measured: 24 the former, 19 and 22 the latter."""

    rocdl_ranges: RocdlRanges
    """How the range of an id or size is written for AMD: as `{range = array<..>}`, up to 18 of ids alone,
    in 19 of sizes, too, or as `range <..>` (`ranges`, from 20 on). Measured."""

    shuffles_ask_when_used: bool
    """For Nvidia gpu.shuffle asks whether the lane is valid only where that is used; up to 18 always.
    Measured."""

    rocdl_shuffles: bool
    """For AMD gpu.shuffle lowers at all. Measured: from 18 on."""

    rocdl_shuffles_all: bool
    """For AMD gpu.shuffle lowers in every mode and for narrow values; before, `xor` and `idx` of values of 32
    and 64 bits alone. Measured: 22 the former, 19 the latter."""

    rocdl_lane_is_bounded: bool
    """The number of the lane for AMD carries the range that it is in. Measured: in 22, not in 19 and 21."""

    rocdl_sizes_by_calls: bool
    """Sizes of grid and workgroup for AMD are constants where they are known, and else calls of ockl; and
    gpu.subgroup_id lowers. Measured: in 24, not in 22."""

    cluster_dim_blocks_lowers: bool
    """gpu.cluster_dim_blocks lowers in kernels. Measured: in 22, not in 19."""

    rocdl_knows_intrinsics: bool
    """convert-gpu-to-rocdl makes LLVM's intrinsics where these are as good as ocml. Measured: in 22, not in
    19."""

    rocdl_buffer_layout: str
    """The layout of buffer pointers in the data layout that convert-gpu-to-rocdl writes; empty: it writes
    none. Measured in 16, 19 and 22."""

    newer_libdevice: bool
    """Kernels call libdevice's fast functions where `afn` allows it, and compute bf16 in single precision.
    Measured: from 20 on."""

    libdevice_lacks: frozenset[str]
    """Ops of floats that convert-gpu-to-nvvm makes no call of libdevice of, though that has the function.
    Measured in 16 to 24."""

    libdevice_loses_vectors: bool
    """What a call of libdevice per element of a vector gives is not put together: the result is undefined.
    Measured: in 16 and 17, not in 18."""

    shares_kernel_texts: bool
    """Equal formats of gpu.printf, and messages of cf.assert, in a gpu.module are one global. Measured in 21,
    22 and 24, not in 16 and 19."""

    absi_calls_libdevice: bool
    """math.absi of i32 in kernels becomes `__nv_abs`. Measured: in 20 and 22, not in 19."""

    divisions_undo_products: bool
    """A division of a product that cannot overflow by a factor folds. Measured: in 20 and 22, not in 19."""

    truncations_undo_extensions: bool
    """arith.truncf of arith.extf folds, and canonicalize makes one conversion of arith.sitofp and truncf.
    Measured: in 21 and 22, not in 19 and 20."""

    index_casts_fold: bool
    """Two casts to and from an index fold where the first loses nothing; before, all of them cancel, but in
    `canonicalize` alone. Measured: fold in 23 and 24, cancel in 16, 19 and 22."""

    comparisons_of_bits_fold: bool
    """An i1 that arith.cmpi compares with true folds to itself. Measured: from 20 on."""

    remainders_are_nearest: bool
    """arith.remf of constants folds to what is left of the nearest multiple. Measured: up to 18."""

    numbers_give_way_to_nans: bool
    """arith.maxnumf of a constant and a NaN folds to the NaN. Measured: up to 19."""

    converts_constants_last: bool
    """An op that is converted puts its constant operand last before. Measured: from 18 on; cmpi always."""

    folded_constants_lead: bool
    """canonicalize puts a constant that an op folded to before all others at once, and constants that
    patterns make before all others in their own order, not in the reverse one. Measured: up to 18."""

    choices_of_bits_are_logic: bool
    """canonicalize makes arith.andi, ori and xori of a choice between two i1. Measured: up to 18."""

    divisions_by_itself_fold: bool
    """What is divided or shifted by itself folds, and so does 0 that is. Measured: in 24, not in 23."""

    choices_are_extrema: bool
    """canonicalize makes arith.maxsi and its like of a choice between two compared. Measured: from 23 on."""

    differences_from_zero_negate: bool
    """canonicalize makes arith.negf of arith.subf from -0.0. Measured: in 23 and 24, not in 22."""

    floats_skip_extensions: bool
    """canonicalize makes a float of an integer before that is extended. Measured: in 23 and 24, not in 22."""

    expands_rounding_divisions: bool
    """arith.ceildivsi, ceildivui and floordivsi on the host are expanded. Measured in 20, 22 and 24; 16 and
    19 leave them."""

    ceil_divides_by_signs: bool
    """An expanded arith.ceildivsi divides twice, for equal signs and for others. Measured in 20; 21, 22
    and 24 correct the truncated quotient."""

    signed_memory_spaces: bool
    """A memory space `1 : ui64` is an address space. Measured in 19 to 23: up to 19."""

    linkage_is_property: bool
    """What is wrong with a linkage is said of a property. Measured in all: from 23 on."""

    nvvm_refuses: frozenset[str]
    """The ops of the llvm dialect that convert-gpu-to-nvvm must not meet. Measured in 16, 17 and 19 to 23."""

    rocdl_refuses: frozenset[str]
    """The same of convert-gpu-to-rocdl, measured in the same."""

    extracts_what_was_inserted: bool
    """tensor.extract at constant indices finds what tensor.insert put there. Measured in all: from 21 on."""

    erases_writes_of_one_buffer: bool
    """canonicalize erases a linalg.generic that reads and writes one buffer, whatever it writes. Measured in
    all: up to 20."""

    reads_writes_out_of_bounds: bool
    """canonicalize takes what was written to a tensor, within bounds or not, for what is read within bounds.
    Measured in all: up to 20."""

    nvvm_converts_vectors: bool
    """convert-gpu-to-nvvm converts ops of the vector dialect. Measured in all: from 18 on."""

    global_ids_lower: bool
    """Kernels may have gpu.global_id. Measured in all: not in 16."""

    ocml_has_remainders: bool
    """convert-gpu-to-rocdl calls ocml for arith.remf. Measured in all: from 18 on."""

    rocdl_bfloats_are_integers: bool
    """convert-gpu-to-rocdl makes i16 of bf16. Measured in all: in 18 and 19."""

    extensions_of_llvm_constants_fold: bool
    """llvm.zext of a constant is a constant to greedy rewrites. Measured in all: from 18 on."""

    bare_pointers_by_attribute: bool
    """A function with `llvm.bareptr` takes and returns bare pointers. Measured in all: not in 16."""

    bare_pointers_for_unranked: bool
    """With bare pointers for kernels an unranked memref operand is passed as the struct that it is; 24
    rejects the launch. Measured in 19, 22 and 24."""

    contraction_without_body: str
    """What linalg's verifier says of a contraction whose body was converted. Measured in 16 to 22."""

    container_word: str
    """The verifier's word in `kernel WORD 'x' is undefined`."""

    def __hash__(self) -> int:
        """Return one that is made of the version alone: facts are asked for by profile for each op."""
        return hash(self.version)

    @property
    def label(self) -> str:
        """`LLVM 22`, as findings name the release."""
        return f"LLVM {self.version}"

    @property
    def source(self) -> str:
        """Where the facts come from, for people: measured, or taken from a neighbour."""
        return "measured" if self.measured else f"inferred from LLVM {self.facts_of}"

    def memset_lowers(self, bits: int) -> bool:
        """Tell whether a gpu.memset of a value of `bits` bits has a runtime call."""
        return bits in self.memset_widths


_REFUSED_MATH = frozenset(
    f"llvm.intr.{name}"
    for name in ("ceil", "cos", "exp", "exp2", "fabs", "floor", "log", "log10", "log2", "pow", "sin", "sqrt")
)
_REFUSED_SINCE_18 = frozenset({"llvm.frem"})
_REFUSED_SINCE_20 = frozenset({"llvm.intr.copysign", "llvm.intr.round", "llvm.intr.roundeven"})
_REFUSED_SINCE_22 = frozenset({"llvm.intr.sincos"})
_EXACT_ENOUGH = frozenset({"llvm.intr.exp", "llvm.intr.fabs", "llvm.intr.log", "llvm.intr.sqrt"})
"""What convert-gpu-to-rocdl leaves from 20 on."""
_LIBDEVICE_OF_18 = frozenset({"arith.remf"})
_LIBDEVICE_OF_19 = frozenset({"math.erf"})
_LIBDEVICE_OF_20 = frozenset(
    {"math.acos", "math.acosh", "math.asin", "math.asinh", "math.atanh", "math.copysign", "math.cosh"}
    | {"math.fma", "math.fpowi", "math.round", "math.roundeven", "math.sinh"}
)
_LIBDEVICE_OF_21 = frozenset({"arith.minnumf", "arith.maxnumf", "math.isnan", "math.isinf", "math.isfinite"})
"""Ops that a release was the first to make calls of libdevice of."""

_16 = Profile(
    version=16,
    measured=True,
    facts_of=16,
    rejects_loudly=True,
    missing_ops=frozenset(
        {
            "gpu.binary",
            "gpu.host_unregister",
            "gpu.create_coo",
            "gpu.create_coo_aos",
            "gpu.create_csr",
            "gpu.create_csc",
            "gpu.create_bsr",
            "gpu.create_2to4_spmat",
            "gpu.create_dn_tensor",
            "gpu.destroy_dn_tensor",
            "gpu.destroy_sp_mat",
            "gpu.spmv",
            "gpu.spmv_buffer_size",
            "gpu.spmm",
            "gpu.spmm_buffer_size",
            "gpu.sddmm",
            "gpu.sddmm_buffer_size",
            "gpu.spgemm_create_descr",
            "gpu.spgemm_destroy_descr",
            "gpu.spgemm_work_estimation_or_compute",
            "gpu.spgemm_copy",
            "gpu.spmat_get_size",
            "gpu.set_csr_pointers",
            "gpu.dynamic_shared_memory",
        }
    ),
    greedy_prepass=False,
    alloc_needs_one_dependency=True,
    alloc_null_token=False,
    launch_max_dependencies=1,
    launch_sync_dependencies="error",
    host_shared="never",
    yield_keeps_stream_with_nvvm=False,
    memset_widths=frozenset({32}),
    memset_complex_crashes=False,
    copy_in_any_space=False,
    alloc_in_any_space=False,
    gpu_address_space_lowers=True,
    functions_need_entry_only=False,
    functions_lose_no_inline=False,
    reserved_functions_have_types=False,
    malloc_before_memory_space=False,
    gpu_address_space_alloc_crashes=False,
    launch_result_crashes_parser=True,
    launch_asks_for_shared=False,
    launch_clusters=False,
    launch_integer_sizes=False,
    async_object=False,
    async_object_conflict="",
    async_object_excludes_async=False,
    async_object_on_launch=False,
    launch_checked_after_conversion=False,
    module_per_launch=True,
    largest_size=0,
    ptx_ends_in_null=True,
    ptx_version_is_raised=True,
    pipeline_names_ptx=True,
    names_formats=False,
    one_launch_per_module=True,
    intersperse_sizes=False,
    opaque_pointers=False,
    annotated_binaries=True,
    keeps_targeted_launches=False,
    launches_say_sizes=False,
    casts_in_order=True,
    null_is_zero=False,
    casts_arguments_twice=False,
    casts_at_old=True,
    alloc_host_shared_argument=False,
    missing_options=frozenset({"use-bare-pointers-for-host", "intersperse-sizes-for-kernels"}),
    poison_aggregates=False,
    copy_size_from_sizes=False,
    lazy_casts=False,
    last_successor_first=True,
    packs_llvm_types_only=True,
    trigonometric_intrinsics=False,
    exchanges_float_bits=False,
    assumes_by_bundles=False,
    small_floats_stay=False,
    accesses_keep_alignment=False,
    converts_poison=True,
    converts_index_and_complex=False,
    converts_math=False,
    converts_slices=True,
    repeats_by_broadcasts=False,
    extracts_at_values=False,
    positions_fold=False,
    unit_transfers_are_plain=False,
    constant_masks_fold=False,
    unit_transposes_fold=False,
    kernels_are_affine_scopes=False,
    full_masks_fold="none",
    reads_scalars_as_vectors=False,
    transposes_masks=False,
    prints_vectors_by_loops=False,
    vector_step="constant",
    step_intrinsic="llvm.intr.experimental.stepvector",
    unrolls_bitcasts=False,
    shape_casts_by_slices=False,
    contracts_rows_once=False,
    casts_scalable_shapes=False,
    unrolls_elements=False,
    bounds_masks=False,
    predicates_reductions=False,
    loads_single_elements=True,
    single_lanes_alone=False,
    reassociates_by_flag=True,
    knows_scalable_sizes=False,
    vector_constants_fold=False,
    shuffles_lose_poison=False,
    integer_math_by_rows=True,
    broadcasts_scalars=False,
    builtin_vectors_of_pointers=False,
    ids_have_ranges=False,
    outlines_cluster_sizes=False,
    rejects_nested_references=False,
    known_sizes_are_exact=False,
    multiplies_bf16=False,
    fences_barriers=False,
    rocdl_ranges="arrays of ids",
    shuffles_ask_when_used=False,
    rocdl_shuffles=False,
    rocdl_shuffles_all=False,
    rocdl_lane_is_bounded=False,
    rocdl_sizes_by_calls=False,
    cluster_dim_blocks_lowers=False,
    rocdl_knows_intrinsics=False,
    rocdl_buffer_layout="",
    newer_libdevice=False,
    libdevice_lacks=_LIBDEVICE_OF_21 | _LIBDEVICE_OF_20 | _LIBDEVICE_OF_19 | _LIBDEVICE_OF_18,
    libdevice_loses_vectors=True,
    numbers_first_text=True,
    shares_kernel_texts=False,
    absi_calls_libdevice=False,
    divisions_undo_products=False,
    truncations_undo_extensions=False,
    index_casts_fold=False,
    choices_are_extrema=False,
    differences_from_zero_negate=False,
    choices_of_bits_are_logic=True,
    folded_constants_lead=True,
    converts_constants_last=False,
    remainders_are_nearest=True,
    comparisons_of_bits_fold=False,
    numbers_give_way_to_nans=True,
    divisions_by_itself_fold=False,
    expands_rounding_divisions=False,
    floats_skip_extensions=False,
    ceil_divides_by_signs=True,
    gathers_rows=True,
    nvvm_barriers_by_pointer=False,
    expecting_returns_state=False,
    atomic_maximum_is_fmax=True,
    unranked_sizes_shared=True,
    casts_must_reconcile=True,
    canonicalize_merges_blocks=True,
    region_branch_patterns=False,
    known_sizes_prefix="gpu.",
    newer_arith_patterns=False,
    runs_single_steps=False,
    differences_without_flags=True,
    folds_zero_strides=True,
    newer_scf_patterns=False,
    never_dead=frozenset({"async.execute", "gpu.launch"}),
    drops_equal_arguments=False,
    broadcasts_equal_elements=False,
    joins_insertions=False,
    extends_products=True,
    kernels_assert_by_call=False,
    finds_uniform_reductions=False,
    switch_bits=0,
    cse_compares_regions=False,
    functions_lose_public=False,
    functions_with_bodies=True,
    functions_with_data_layout=True,
    branches_must_convert=False,
    affine_flags=False,
    affine_extrema_are_ops=False,
    finds_remainders_in_sums=False,
    pointers_of_all_views=True,
    extracts_from_subviews=False,
    extracts_from_reshapes=False,
    drops_dimensions_by_position=False,
    expanded_sizes_are_given=False,
    collapses_to_least_stride=True,
    parallel_ends_with_yield=True,
    expands_affine_indices=False,
    index_sums_have_flags=False,
    loop_annotations="none",
    copies_argument_attributes=False,
    clocks_are_pure=True,
    declared_in_kernels=frozenset(),
    copies_result_attributes=True,
    drops_identity_transposes=False,
    memory_effects=("memory", ""),
    keeps_function_attributes=False,
    returns_bare_allocation=False,
    copies_without_casts=True,
    extracts_from_space_casts=False,
    keeps_tf32=True,
    fills_quotients_first=True,
    reads_all_shapes=True,
    counts_without_zeros=True,
    inlines_blocks_anywhere=True,
    transposes_by_source=True,
    folds_in_place_once=True,
    signed_memory_spaces=True,
    linkage_is_property=False,
    nvvm_refuses=_REFUSED_MATH,
    rocdl_refuses=_REFUSED_MATH,
    extracts_what_was_inserted=False,
    erases_writes_of_one_buffer=True,
    reads_writes_out_of_bounds=True,
    nvvm_converts_vectors=False,
    global_ids_lower=False,
    ocml_has_remainders=False,
    rocdl_bfloats_are_integers=False,
    extensions_of_llvm_constants_fold=False,
    bare_pointers_by_attribute=False,
    bare_pointers_for_unranked=True,
    access_flags="none",
    contraction_without_body="(add, mul) operations not found",
    container_word="module",
)

# After 17 had branched came GPU targets and gpu.binary in August 2023, CSC and BSR (PR 67509) and the
# host-shared argument of mgpuMemAlloc (PR 66401) in September, dynamic shared memory (PR 71546) and clusters
# (PR 72871) in November.
_17 = replace(
    _16,
    reads_all_shapes=False,
    version=17,
    facts_of=17,
    returns_bare_allocation=True,
    bare_pointers_by_attribute=True,
    global_ids_lower=True,
    cse_compares_regions=True,
    opaque_pointers=True,
    predicates_reductions=True,
    memset_widths=frozenset({16, 32}),
    gpu_address_space_lowers=False,
    missing_options=frozenset({"intersperse-sizes-for-kernels"}),
    missing_ops=frozenset({"gpu.binary", "gpu.create_csc", "gpu.create_bsr", "gpu.dynamic_shared_memory"}),
)

_19 = replace(
    _16,
    folds_zero_strides=False,
    numbers_first_text=False,
    reads_all_shapes=False,
    shuffles_ask_when_used=True,
    rocdl_shuffles=True,
    extracts_from_subviews=True,
    version=19,
    facts_of=19,
    drops_identity_transposes=True,
    returns_bare_allocation=True,
    extensions_of_llvm_constants_fold=True,
    nvvm_refuses=_REFUSED_MATH | _REFUSED_SINCE_18,
    rocdl_refuses=_REFUSED_MATH | _REFUSED_SINCE_18,
    nvvm_converts_vectors=True,
    global_ids_lower=True,
    ocml_has_remainders=True,
    rocdl_bfloats_are_integers=True,
    bare_pointers_by_attribute=True,
    inlines_blocks_anywhere=False,
    transposes_by_source=False,
    libdevice_lacks=_LIBDEVICE_OF_21 | _LIBDEVICE_OF_20,
    libdevice_loses_vectors=False,
    rejects_loudly=False,
    missing_ops=frozenset(),
    host_shared="sync",
    yield_keeps_stream_with_nvvm=True,
    memset_widths=frozenset({16, 32}),
    copy_in_any_space=True,
    gpu_address_space_lowers=False,
    malloc_before_memory_space=True,
    gpu_address_space_alloc_crashes=True,
    launch_asks_for_shared=True,
    launch_clusters=True,
    launch_integer_sizes=True,
    async_object=True,
    launch_checked_after_conversion=True,
    last_successor_first=False,
    one_launch_per_module=False,
    casts_must_reconcile=False,
    canonicalize_merges_blocks=False,
    known_sizes_prefix="",
    newer_arith_patterns=True,
    newer_scf_patterns=True,
    drops_equal_arguments=True,
    never_dead=frozenset({"async.execute", "xegpu.update_nd_offset"}),
    finds_uniform_reductions=True,
    switch_bits=32,
    null_is_zero=True,
    casts_arguments_twice=True,
    functions_lose_public=True,
    choices_of_bits_are_logic=False,
    folded_constants_lead=False,
    converts_constants_last=True,
    remainders_are_nearest=False,
    functions_with_data_layout=False,
    cse_compares_regions=True,
    affine_extrema_are_ops=True,
    parallel_ends_with_yield=False,
    copies_argument_attributes=True,
    declared_in_kernels=frozenset({"malloc"}),
    folds_in_place_once=False,
    missing_options=frozenset({"intersperse-sizes-for-kernels"}),
    opaque_pointers=True,
    annotated_binaries=False,
    launches_say_sizes=True,
    casts_in_order=False,
    alloc_host_shared_argument=True,
    converts_index_and_complex=True,
    converts_math=True,
    rocdl_buffer_layout="p8:128:128",
    rocdl_ranges="arrays",
    contraction_without_body="expected add/mul op in the body",
    container_word="container",
    transposes_masks=True,
    prints_vectors_by_loops=True,
    full_masks_fold="all",
    unrolls_bitcasts=True,
    predicates_reductions=True,
    casts_scalable_shapes=True,
    reassociates_by_flag=False,
    knows_scalable_sizes=True,
)

# Measured: launches from modules without targets are those of 17, with the sizes of 19.
_18 = replace(
    _19,
    shuffles_ask_when_used=False,
    extracts_from_subviews=False,
    rocdl_ranges="arrays of ids",
    version=18,
    facts_of=18,
    known_sizes_prefix="gpu.",
    canonicalize_merges_blocks=True,
    drops_identity_transposes=False,
    transposes_by_source=True,
    casts_arguments_twice=False,
    affine_extrema_are_ops=False,
    libdevice_lacks=_LIBDEVICE_OF_21 | _LIBDEVICE_OF_20 | _LIBDEVICE_OF_19,
    annotated_binaries=True,
    keeps_targeted_launches=True,
    casts_in_order=True,
    choices_of_bits_are_logic=True,
    folded_constants_lead=True,
    remainders_are_nearest=True,
    full_masks_fold="made",
    unrolls_bitcasts=False,
    knows_scalable_sizes=False,
)

# Measured. After 20 had branched came poison (PR 125629) and sizes of copies (PR 128820) in February 2025,
# modules as globals (PR 135478) in April 2025.
_20 = replace(
    _19,
    signed_memory_spaces=False,
    nvvm_refuses=_REFUSED_MATH | _REFUSED_SINCE_18 | _REFUSED_SINCE_20,
    rocdl_refuses=(_REFUSED_MATH | _REFUSED_SINCE_18) - _EXACT_ENOUGH,
    rocdl_bfloats_are_integers=False,
    keeps_tf32=False,
    extracts_from_space_casts=True,
    counts_without_zeros=False,
    extracts_from_reshapes=True,
    collapses_to_least_stride=False,
    version=20,
    facts_of=20,
    memory_effects=("memory_effects", ""),
    drops_identity_transposes=False,
    lazy_casts=True,
    comparisons_of_bits_fold=True,
    numbers_give_way_to_nans=False,
    casts_arguments_twice=False,
    functions_with_bodies=False,
    branches_must_convert=True,
    affine_flags=True,
    expands_affine_indices=True,
    functions_need_entry_only=True,
    functions_lose_no_inline=True,
    reserved_functions_have_types=True,
    loop_annotations="condition",
    divisions_undo_products=True,
    casts_at_old=False,
    vector_step="stays",
    loads_single_elements=False,
    step_intrinsic="llvm.intr.stepvector",
    converts_poison=False,
    greedy_prepass=True,
    expands_rounding_divisions=True,
    ids_have_ranges=True,
    cluster_dim_blocks_lowers=True,
    newer_libdevice=True,
    libdevice_lacks=_LIBDEVICE_OF_21,
    absi_calls_libdevice=True,
    rocdl_ranges="ranges",
    rocdl_knows_intrinsics=True,
    intersperse_sizes=True,
    missing_options=frozenset(),
    extracts_at_values=True,
    kernels_are_affine_scopes=True,
    converts_slices=False,
    kernels_assert_by_call=True,
)

_22 = replace(
    _19,
    signed_memory_spaces=False,
    nvvm_refuses=_REFUSED_MATH | _REFUSED_SINCE_18 | _REFUSED_SINCE_20 | _REFUSED_SINCE_22,
    rocdl_refuses=(_REFUSED_MATH | _REFUSED_SINCE_18) - _EXACT_ENOUGH,
    extracts_what_was_inserted=True,
    erases_writes_of_one_buffer=False,
    reads_writes_out_of_bounds=False,
    rocdl_bfloats_are_integers=False,
    fills_quotients_first=False,
    keeps_tf32=False,
    extracts_from_space_casts=True,
    counts_without_zeros=False,
    copies_without_casts=False,
    extracts_from_reshapes=True,
    collapses_to_least_stride=False,
    pointers_of_all_views=False,
    version=22,
    facts_of=22,
    memory_effects=("memory_effects", ", errnoMem = none, targetMem0 = none, targetMem1 = none"),
    drops_identity_transposes=False,
    comparisons_of_bits_fold=True,
    numbers_give_way_to_nans=False,
    casts_arguments_twice=False,
    functions_with_bodies=False,
    branches_must_convert=True,
    affine_flags=True,
    expands_affine_indices=True,
    index_sums_have_flags=True,
    finds_remainders_in_sums=True,
    functions_need_entry_only=True,
    functions_lose_no_inline=True,
    reserved_functions_have_types=True,
    malloc_before_memory_space=False,
    clocks_are_pure=False,
    declared_in_kernels=frozenset({"malloc", "free"}),
    loop_annotations="all",
    greedy_prepass=True,
    memset_complex_crashes=True,
    gpu_address_space_alloc_crashes=False,
    module_per_launch=False,
    largest_size=2**31 - 1,
    ptx_ends_in_null=False,
    ptx_version_is_raised=False,
    intersperse_sizes=True,
    missing_options=frozenset(),
    poison_aggregates=True,
    casts_at_old=False,
    copy_size_from_sizes=True,
    lazy_casts=True,
    packs_llvm_types_only=False,
    region_branch_patterns=True,
    never_dead=frozenset({"xegpu.atomic_rmw"}),
    differences_without_flags=False,
    folds_zero_strides=False,
    broadcasts_equal_elements=True,
    joins_insertions=True,
    converts_slices=False,
    extends_products=False,
    kernels_assert_by_call=True,
    trigonometric_intrinsics=True,
    assumes_by_bundles=True,
    small_floats_stay=True,
    accesses_keep_alignment=True,
    broadcasts_scalars=True,
    vector_step="stays",
    step_intrinsic="llvm.intr.stepvector",
    shape_casts_by_slices=True,
    single_lanes_alone=True,
    loads_single_elements=False,
    vector_constants_fold=True,
    contracts_rows_once=True,
    unrolls_elements=True,
    integer_math_by_rows=False,
    builtin_vectors_of_pointers=True,
    ids_have_ranges=True,
    rocdl_ranges="ranges",
    rocdl_shuffles_all=True,
    rocdl_lane_is_bounded=True,
    cluster_dim_blocks_lowers=True,
    rocdl_knows_intrinsics=True,
    rocdl_buffer_layout="p8:128:128:128:48",
    newer_libdevice=True,
    libdevice_lacks=frozenset(),
    shares_kernel_texts=True,
    absi_calls_libdevice=True,
    divisions_undo_products=True,
    truncations_undo_extensions=True,
    expands_rounding_divisions=True,
    ceil_divides_by_signs=False,
    gathers_rows=False,
    nvvm_barriers_by_pointer=True,
    atomic_maximum_is_fmax=False,
    unranked_sizes_shared=False,
    access_flags="all",
    repeats_by_broadcasts=True,
    extracts_at_values=True,
    positions_fold=True,
    constant_masks_fold=True,
    unit_transposes_fold=True,
    reads_scalars_as_vectors=True,
    kernels_are_affine_scopes=True,
)

_21 = replace(
    _22,
    joins_insertions=False,
    nvvm_refuses=_REFUSED_MATH | _REFUSED_SINCE_18 | _REFUSED_SINCE_20,
    broadcasts_equal_elements=False,
    differences_without_flags=True,
    copies_without_casts=True,
    pointers_of_all_views=True,
    version=21,
    nvvm_barriers_by_pointer=False,
    ptx_version_is_raised=True,
    facts_of=21,
    memory_effects=("memory_effects", ""),
    declared_in_kernels=frozenset({"malloc"}),
    loop_annotations="for",
    packs_llvm_types_only=True,
    small_floats_stay=False,
    accesses_keep_alignment=False,
    broadcasts_scalars=False,
    rocdl_lane_is_bounded=False,
    unranked_sizes_shared=True,
    repeats_by_broadcasts=False,
    reads_scalars_as_vectors=False,
    unrolls_elements=False,
    single_lanes_alone=False,
)

_24 = replace(
    _22,
    linkage_is_property=True,
    drops_dimensions_by_position=True,
    expanded_sizes_are_given=True,
    version=24,
    facts_of=24,
    largest_size=2**32 - 1,
    pipeline_names_ptx=False,
    names_formats=True,
    keeps_function_attributes=True,
    copies_result_attributes=False,
    exchanges_float_bits=True,
    outlines_cluster_sizes=True,
    rejects_nested_references=True,
    known_sizes_are_exact=True,
    expecting_returns_state=True,
    multiplies_bf16=True,
    fences_barriers=True,
    rocdl_sizes_by_calls=True,
    switch_bits=64,
    vector_step="intrinsic",
    integer_math_by_rows=True,
    alloc_needs_one_dependency=False,
    alloc_null_token=True,
    launch_max_dependencies=None,
    launch_sync_dependencies="verifier",
    host_shared="sync-at-most-one",
    yield_keeps_stream_with_nvvm=False,
    memset_complex_crashes=False,
    alloc_in_any_space=True,
    access_flags="by-stride",
    bare_pointers_for_unranked=False,
    launch_result_crashes_parser=False,
    index_casts_fold=True,
    choices_are_extrema=True,
    differences_from_zero_negate=True,
    divisions_by_itself_fold=True,
    async_object_conflict="stream-based and dependency-based async models are mutually exclusive",
    async_object_excludes_async=True,
    async_object_on_launch=True,
    runs_single_steps=True,
    unit_transfers_are_plain=True,
    bounds_masks=True,
    shuffles_lose_poison=True,
    floats_skip_extensions=True,
)

PROFILES: dict[int, Profile] = {
    16: _16,
    17: _17,
    18: _18,
    19: _19,
    20: _20,
    21: _21,
    22: _22,
    # Several dependencies of a launch came with PR 188987 (March 2026), allocation without with PR 191661
    # (between May and mid July 2026), the text for an object beside dependencies with PR 196012 (May 2026).
    # The object on gpu.launch and the two verifier texts that go with it came on July 30 2026 (PR 213031),
    # after 23 had branched.
    23: replace(
        _24,
        version=23,
        facts_of=23,
        largest_size=2**31 - 1,
        known_sizes_are_exact=False,
        divisions_by_itself_fold=False,
        launch_sync_dependencies="error",
        async_object_conflict="cannot have both async dependencies and an explicit async object",
        async_object_excludes_async=False,
        async_object_on_launch=False,
    ),
    24: _24,
}
"""The facts of every release that this tool knows."""

NEWEST: int = max(PROFILES)
"""The release that is assumed where nobody names one."""


def profile(version: int) -> Profile:
    """Return the facts of LLVM `version`; a version newer or older than all known takes the nearest facts."""
    known = PROFILES.get(version)
    if known is not None:
        return known
    nearest = PROFILES[NEWEST if version > NEWEST else min(PROFILES)]
    return replace(nearest, version=version, measured=False)
