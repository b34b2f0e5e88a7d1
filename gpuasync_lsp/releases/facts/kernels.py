"""How kernels are outlined, targeted, and converted to nvvm and rocdl, one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact, names

RocdlRanges = Literal["arrays of ids", "arrays", "ranges"]
_MATH = tuple(
    f"llvm.intr.{name}"
    for name in ("ceil", "cos", "exp", "exp2", "fabs", "floor", "log", "log10", "log2", "pow", "sin", "sqrt")
)
_EXACT_ENOUGH = ("llvm.intr.exp", "llvm.intr.fabs", "llvm.intr.log", "llvm.intr.sqrt")
"""Ops that convert-gpu-to-rocdl leaves unchanged from LLVM 20 on."""


class Kernels:
    """Facts about the passes for kernels: outlining, targets, conversion to nvvm and rocdl."""

    largest_size = by_release({16: 0, 21: 2147483647, 23: 4294967295})
    """The grid or block size to which convert-gpu-to-nvvm does not add one for the upper bound of a range.

    For any other size, the exclusive upper bound is the size plus one. 0 means that there is no such
    exception, so the bound may wrap."""

    ptx_version_is_raised = fact(until=21, unprobed="translation")
    """A PTX version that is too old for the chip is raised; in later releases LLVM aborts."""

    atomics_order = fact(since=23, source="PR 179553", unprobed="translation")
    """LLVM's NVPTX backend honors the ordering of atomicrmw; through LLVM 22, every update is relaxed.

    `memref.atomic_rmw` has the ordering acq_rel, and becomes `atom.acq_rel.sys` instead of `atom`."""

    pipeline_names_ptx = fact(until=22)
    """gpu-lower-to-nvvm-pipeline sets `cubin-features` to `+ptx60` by default.

    Through LLVM 21 this has no visible effect, since `+ptx60` is also the default of targets."""

    names_formats = fact(since=23)
    """The error for an invalid `format` of gpu-module-to-binary lists the valid formats."""

    numbers_first_text = fact(until=17)
    """Even the global for the first cf.assert message has a number in its name (`assert_msg_0`)."""

    copies_argument_attributes = fact(since=18)
    """In kernels, argument attributes that LLVM supports are copied to the LLVM arguments.

    Earlier releases copy the list of all attributes, and fail if a memref becomes several arguments."""

    copies_result_attributes = fact(until=22)
    """The passes for kernels copy the attributes of a function's result to the LLVM result."""

    declared_in_kernels = by_release(
        {16: frozenset(), 18: frozenset({"malloc"}), 22: frozenset({"free", "malloc"})}
    )
    """Which of malloc and free are declared in the gpu.module that contains the allocation.

    The other functions are declared in the enclosing module, where kernels do not find them."""

    clocks_are_pure = fact(until=20)
    """NVVM ops that read a clock are erased if their result is unused; LLVM 16 to 18 lack these ops."""

    kernels_assert_by_call = fact(since=20)
    """convert-gpu-to-nvvm lowers cf.assert to a call of `__assertfail`. Earlier releases lower it as in host
    code, and the verifier rejects the result in a gpu.module."""

    size_properties = by_release(
        {
            16: (),
            19: ("known_block_size", "known_grid_size"),
            22: ("known_block_size", "known_grid_size", "known_cluster_size"),
        }
    )
    """The known-size attributes that are properties of gpu.func; their type must be an array of i32."""

    known_sizes_prefix = by_release({16: "gpu.", 19: ""})
    """The prefix of `known_block_size` and `known_grid_size` on kernels."""

    kernels_are_affine_scopes = fact(since=20)
    """Values defined at the top level of a gpu.func are valid symbols of affine maps."""

    nvvm_barriers_by_pointer = fact(since=22)
    """Barrier ops of NVVM have one name for all memory spaces, and nvgpu.tma.async.load copies into cluster
    memory. LLVM 19 to 21 have separate ops for shared memory, such as `nvvm.mbarrier.init.shared`."""

    expecting_returns_state = fact(since=23)
    """An unpredicated `nvvm.mbarrier.arrive.expect_tx` that convert-nvgpu-to-nvvm creates has a result."""

    ids_have_ranges = fact(since=20)
    """Ops that read ids and sizes in kernels have an attribute with the known range."""

    rejects_nested_references = fact(since=23)
    """gpu-kernel-outlining rejects a launch that references a symbol in a different module."""

    outlines_cluster_sizes = fact(since=23, source="PR 176894")
    """gpu-kernel-outlining emits `known_cluster_size`."""

    known_sizes_are_exact = fact(since=23)
    """The range of a known size contains only that size. In earlier releases, the size is the upper bound,
    and an upper bound on the op takes precedence."""

    multiplies_bf16 = fact(since=23)
    """nvgpu.mma.sync and mma.sp.sync of bf16 matrices lower; pairs of bf16 are passed as i32."""

    fences_barriers = fact(since=23)
    """gpu.barrier becomes `nvvm.barrier` or, for AMD, a `rocdl.s.barrier` between fences.

    In earlier releases it becomes `nvvm.barrier0` or `rocdl.barrier`."""

    rocdl_ranges: Fact[RocdlRanges] = by_release({16: "arrays of ids", 19: "arrays", 20: "ranges"})
    """How the known range of an id or a size is written for AMD.

    `arrays of ids`: as `{range = array<..>}`, only for ids. `arrays`: as `{range = array<..>}` for both.
    `ranges`: as `range <..>` for both."""

    shuffles_ask_when_used = fact(since=19)
    """For NVIDIA, gpu.shuffle computes its second result, whether the lane is valid, only if it is used; in
    earlier releases, always."""

    rocdl_shuffles = fact(since=18)
    """gpu.shuffle lowers for AMD."""

    rocdl_shuffles_all = fact(since=21)
    """gpu.shuffle lowers for AMD in every mode and for narrow values; earlier releases lower only `xor` and
    `idx` of 32-bit and 64-bit values."""

    rocdl_lane_is_bounded = fact(since=22)
    """The op that reads the lane id for AMD has an attribute with the known range."""

    rocdl_sizes_by_calls = fact(since=23)
    """For AMD, sizes of the grid and workgroup become constants if they are known, and ockl calls otherwise.

    gpu.subgroup_id also lowers."""

    cluster_dim_blocks_lowers = fact(since=20)
    """gpu.cluster_dim_blocks lowers in kernels."""

    rocdl_knows_intrinsics = fact(since=20)
    """convert-gpu-to-rocdl emits LLVM intrinsics where they are as accurate as ocml's functions."""

    rocdl_buffer_layout = by_release({16: "", 18: "p8:128:128", 21: "p8:128:128:128:48"})
    """The layout of buffer pointers in convert-gpu-to-rocdl's data layout; empty if it emits no data
    layout."""

    newer_libdevice = fact(since=20)
    """Ops with `afn` call fast variants of libdevice's functions; bf16 is computed in single precision."""

    libdevice_lacks = names(
        until={
            17: ("arith.remf",),
            18: ("math.erf",),
            19: (
                "math.acos",
                "math.acosh",
                "math.asin",
                "math.asinh",
                "math.atanh",
                "math.copysign",
                "math.cosh",
                "math.fma",
                "math.fpowi",
                "math.round",
                "math.roundeven",
                "math.sinh",
            ),
            20: ("arith.maxnumf", "arith.minnumf", "math.isnan", "math.isinf", "math.isfinite"),
        }
    )
    """Float ops that convert-gpu-to-nvvm does not lower to libdevice calls, although libdevice has suitable
    functions."""

    libdevice_loses_vectors = fact(until=17)
    """The results of libdevice calls for the elements of a vector are lost; the vector is undefined."""

    kernel_math_by_rows = fact(since=21)
    """Calls to libdevice and ocml also replace ops on vectors of several dimensions."""

    shares_kernel_texts = fact(since=21)
    """Equal formats of gpu.printf and equal messages of cf.assert share one global per gpu.module."""

    absi_calls_libdevice = fact(since=20)
    """math.absi of i32 in kernels becomes `__nv_abs`."""

    nvvm_refuses = names(
        _MATH,
        since={
            18: ("llvm.frem",),
            20: ("llvm.intr.copysign", "llvm.intr.round", "llvm.intr.roundeven"),
            22: ("llvm.intr.sincos",),
        },
    )
    """The ops of the llvm dialect that are illegal in convert-gpu-to-nvvm."""

    rocdl_refuses = names(
        (each for each in _MATH if each not in _EXACT_ENOUGH),
        since={18: ("llvm.frem",)},
        until={19: _EXACT_ENOUGH},
    )
    """The ops of the llvm dialect that are illegal in convert-gpu-to-rocdl."""

    nvvm_converts_vectors = fact(since=18)
    """convert-gpu-to-nvvm converts ops of the vector dialect."""

    global_ids_lower = fact(since=17)
    """gpu.global_id lowers in kernels."""

    ocml_has_remainders = fact(since=18)
    """convert-gpu-to-rocdl lowers arith.remf to a call of an ocml function."""

    rocdl_bfloats_are_integers = fact(since=18, until=19)
    """convert-gpu-to-rocdl converts bf16 to i16."""

    converts_nvgpu_in_loops = fact(since=18)
    """convert-nvgpu-to-nvvm also converts the types of scf.for, scf.if and scf.while."""

    nvgpu_conversion_is_known = fact(since=19, source="LLVM 16 to 18 were not compared", unprobed="tool")
    """This tool implements convert-nvgpu-to-nvvm of the release."""

    nests_may_reduce = fact(since=21)
    """convert-parallel-loops-to-gpu converts a loop nest with one reduction."""

    nests_may_have_effects = fact(since=22)
    """convert-parallel-loops-to-gpu checks which memory the ops of a loop nest write; in earlier releases
    no op with an effect may precede a loop in a nest."""

    nvvm_space_is_in_type = fact(since=22, unprobed="hidden")
    """The type of an NVVM barrier op's operand determines the memory space, not the name of the op."""

    tensor_stores_take_hints = fact(since=22)
    """nvvm.cp.async.bulk.tensor.global.shared.cta has an operand `l2CacheHint`."""

    stmatrix_ends_in_semicolon = fact(since=19)
    """The PTX of nvvm.stmatrix ends in a semicolon."""

    inline_ptx_counts_results = fact(since=23)
    """The predicate's operand number in the PTX of nvvm.inline_ptx counts the results. LLVM 22, the first
    release with results, does not count them."""

    inline_ptx_updates_values = fact(since=23)
    """If an nvvm.inline_ptx without results changes an operand, later uses see the new value."""

    redux_has_reduction_kind = fact(since=23)
    """The kind of nvvm.redux.sync is a `#nvvm.reduction_kind`; in earlier releases it is a
    `#nvvm.redux_kind`."""
