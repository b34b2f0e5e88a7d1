"""Behavior of conversions and lowerings other than gpu-to-llvm and the passes for kernels."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact, names

AccessFlags = Literal["none", "all", "by-stride"]
LoopAnnotations = Literal["none", "condition", "for", "all"]


class Passes:
    """Facts about conversions and lowerings other than gpu-to-llvm and the passes for kernels."""

    functions_need_entry_only = fact(since=20)
    """A function is converted even if a block other than its first has arguments that cannot be converted."""

    functions_lose_no_inline = fact(since=20)
    """The attribute `no_inline` of a func.func is not copied to the llvm.func."""

    casts_in_order = fact(until=18, unprobed="order")
    """If the conversion driver inserts several casts at one point, they are in the order in which patterns
    requested them; in later releases, in reverse order."""

    poison_aggregates = fact(since=21, source="PR 125629")
    """Aggregates start from `llvm.mlir.poison`; in earlier releases from `llvm.mlir.undef`."""

    lazy_casts = fact(since=20, unprobed="order")
    """The conversion driver inserts casts, and descriptors of memref arguments, when a value is first
    needed.

    Earlier releases insert those of arguments when they convert the function, last argument first, and one
    cast per result."""

    null_is_zero = fact(since=18)
    """The null pointer is `llvm.mlir.zero`; in earlier releases `llvm.mlir.null`."""

    casts_arguments_twice = fact(since=19, until=19, unprobed="order")
    """Each use of a memref argument's lowered value goes through two additional casts, back and forth."""

    casts_at_old = fact(until=19, unprobed="order")
    """If an unlowered op uses a result of a replaced op, each use gets a cast at the replaced op; in later
    releases, all uses share a cast at the new value."""

    last_successor_first = fact(until=17, unprobed="order")
    """The conversion driver visits the blocks of a region from the entry, the last successor first.

    Later releases visit them depth first. The order affects which of several ops inserted at one point comes
    first."""

    access_flags: Fact[AccessFlags] = by_release({16: "none", 21: "all", 23: "by-stride"})
    """Flags on the address arithmetic of memref.load and memref.store: `none`, `all` (nsw, nuw, inbounds), or
    `by-stride`: like `all`, but nuw only if no stride is dynamic or negative."""

    packs_llvm_types_only = fact(until=21, unprobed="hidden")
    """A function with several results converts only if all have LLVM types; later releases create a struct
    that the verifier rejects."""

    unranked_sizes_shared = fact(until=21)
    """For several unranked results, all sizes are computed first, from shared constants, and then all
    memrefs are copied; later releases handle one result at a time."""

    atomic_maximum_is_fmax = fact(until=20)
    """memref.atomic_rmw maximumf becomes `fmax`, and maxnumf fails to legalize; in later releases maximumf
    becomes `fmaximum`, and maxnumf `fmax`."""

    casts_must_reconcile = fact(until=17)
    """reconcile-unrealized-casts fails if a cast remains; later releases leave the cast silently."""

    switch_bits = by_release({16: 0, 18: 32, 23: 64})
    """The bit width to which convert-scf-to-cf casts scf.index_switch's operand; 0 if it rejects the op."""

    functions_lose_public = fact(since=18)
    """A converted function loses an explicit `public` visibility."""

    functions_with_bodies = fact(until=19)
    """convert-func-to-llvm also converts arith and cf ops."""

    functions_with_data_layout = fact(until=17)
    """convert-func-to-llvm adds an `llvm.data_layout` to the module."""

    branches_must_convert = fact(since=20)
    """convert-cf-to-llvm fails at a branch that it cannot convert."""

    affine_flags = fact(since=20)
    """lower-affine emits multiplications with `nsw`."""

    affine_extrema_are_ops = fact(since=19)
    """lower-affine emits arith.maxsi and arith.minsi instead of a comparison and a select."""

    affine_loops_fold = fact(since=22)
    """lower-affine folds an affine.for that only yields values; earlier releases fold only loops without
    iterations."""

    pointers_of_all_views = fact(until=21)
    """expand-strided-metadata extracts the pointer of any view's source; later releases only that of a
    subview or a reinterpret_cast."""

    extracts_from_subviews = fact(since=19, unprobed="hidden")
    """expand-strided-metadata computes the metadata of a memref.subview before it expands the subview."""

    extracts_from_reshapes = fact(since=20, unprobed="hidden")
    """expand-strided-metadata computes a memref.expand_shape's or collapse_shape's metadata before it
    expands the op."""

    drops_dimensions_by_position = fact(since=23)
    """A subview with dynamic strides drops unit dimensions by position instead of by stride."""

    expanded_sizes_are_given = fact(since=23)
    """expand-strided-metadata uses the output_shape of a memref.expand_shape as its sizes, without
    divisions."""

    collapses_to_least_stride = fact(until=19)
    """expand-strided-metadata gives collapsed dimensions the smallest of their strides, not the last."""

    parallel_ends_with_yield = fact(until=17)
    """scf.parallel ends with scf.yield, after one scf.reduce per reduced value."""

    expands_delinearization = fact(since=19)
    """lower-affine lowers affine.delinearize_index; LLVM 19 does so via affine.apply."""

    expands_affine_indices = fact(since=20)
    """lower-affine lowers affine.linearize_index, and computes each stride once."""

    index_sums_have_flags = fact(since=21)
    """lower-affine emits the additions and multiplications for affine index ops with `nsw`."""

    loop_annotations: Fact[LoopAnnotations] = by_release({16: "none", 20: "condition", 21: "for", 22: "all"})
    """The branches on which convert-scf-to-cf puts a loop's `llvm.loop_annotation`.

    `none`: none. `condition`: the branch into the body of scf.for. `for`: the back edge of scf.for. `all`:
    the back edges of scf.for and scf.while."""

    memory_effects = by_release(
        {
            16: ("memory", ""),
            20: ("memory_effects", ""),
            22: ("memory_effects", ", errnoMem = none, targetMem0 = none, targetMem1 = none"),
        }
    )
    """The attribute to which a function's llvm.readnone lowers, as its name and the text of the memory
    locations that only newer releases list."""

    spirv_shuffles_without_size = fact(since=23)
    """convert-gpu-to-llvm-spv lowers gpu.shuffle in a kernel without a subgroup size."""

    xegpu_default_cache = fact(since=23)
    """convert-xegpu-to-xevm gives an access without cache hints the default cache control; if only some
    levels have hints, the others are cached or written back (in earlier releases, uncached)."""

    xegpu_asks_chip = fact(since=23)
    """convert-xegpu-to-xevm converts xegpu.dpas only if the gpu.module has a target with a known chip."""

    xegpu_converts_floats = fact(since=23)
    """convert-xegpu-to-xevm converts arith.extf and arith.truncf between 16 narrow floats and f16 or bf16."""

    xegpu_packs_bytes = fact(since=23)
    """convert-xegpu-to-xevm packs a loaded tile of 32 rows of 16 bytes unless the load transposes it."""

    xegpu_transposes_dwords = fact(since=23)
    """convert-xegpu-to-xevm transposes tiles with elements of less than 32 bits as tiles of i32."""

    xevm_annotates_pointers = fact(since=23)
    """convert-xevm-to-llvm emits cache controls as annotations of pointers, and folds constants."""

    xevm_loads_rows_of_32_bytes_in_pairs = fact(since=23)
    """convert-xevm-to-llvm loads a block of 8-bit elements with 32 columns as half as many i16 elements."""

    keeps_subgroup_size = fact(until=22)
    """convert-gpu-to-llvm-spv leaves `intel_reqd_sub_group_size` of a gpu.func on the llvm.func."""

    keeps_function_attributes = fact(since=23)
    """llvm.readnone and func.varargs are kept in addition to their lowered form."""

    returns_bare_allocation = fact(since=17)
    """With bare pointers, a memref is returned as its allocated pointer, not as its aligned pointer."""

    extracts_from_space_casts = fact(since=20)
    """expand-strided-metadata looks through memref.memory_space_cast."""

    keeps_tf32 = fact(until=19)
    """tf32 is legal in conversions to llvm, so the conversion of a function with tf32 fails; later
    releases do not convert the function."""

    fills_quotients_first = fact(until=20)
    """The real part of a complex quotient is inserted into the struct before the imaginary part is
    computed."""

    complex_products_first = fact(since=23)
    """A complex product computes its four products before their difference and sum."""

    counts_without_zeros = fact(until=19)
    """The element count of a new buffer ignores sizes of 0."""

    transposes_by_source = fact(until=18)
    """The loops for linalg.transpose iterate over the dimensions of its input instead of its output."""

    trigonometric_intrinsics = fact(since=21)
    """math.tan, tanh, sinh, cosh, asin, acos, atan and atan2 become intrinsics; in LLVM 19 they remain."""

    exchanges_float_bits = fact(since=23)
    """memref.generic_atomic_rmw of floats uses llvm.cmpxchg of their bits; in earlier releases it uses
    `llvm.cmpxchg` of floats, which the verifier rejects."""

    assumes_by_bundles = fact(since=21)
    """memref.assume_alignment has a result, is dead if the result is unused, and becomes an `align` bundle.

    In earlier releases, it becomes a test of the low bits."""

    small_floats_stay = fact(since=22)
    """arith ops on floats of 8 bits or less are not lowered; earlier releases lower them to ops on integers,
    which the verifier rejects."""

    accesses_keep_alignment = fact(since=22)
    """The `alignment` of memref.load and memref.store is kept on the llvm op."""

    integer_math_by_rows = by_release({16: True, 21: False, 23: True})
    """math.absi, ctlz and cttz of vectors of several dimensions are unrolled."""

    expands_rounding_divisions = fact(since=20)
    """arith.ceildivsi, ceildivui and floordivsi are expanded on the host; earlier, they do not lower."""

    ceil_divides_by_signs = fact(until=20)
    """An expanded arith.ceildivsi divides twice, once for equal and once for different signs; later
    releases correct the truncated quotient."""

    signed_memory_spaces = fact(until=19)
    """An integer attribute of a signed or unsigned type (`1 : ui64`) is accepted as a memory space."""

    linkage_is_property = fact(since=23)
    """The error about an unknown linkage says `property`."""

    bare_pointers_by_attribute = fact(since=17)
    """A function with the attribute `llvm.bareptr` has bare pointers as arguments and results."""

    contraction_without_body = by_release(
        {16: "(add, mul) operations not found", 18: "expected add/mul op in the body"}
    )
    """The error of linalg's verifier about a contraction whose body has been converted."""

    for_steps_are_verified = fact(until=18)
    """The verifier rejects an scf.for with a constant step less than 1."""

    inlined_dialects = names(
        (
            *("affine", "arith", "bufferization", "cf", "func", "gpu", "linalg", "math", "memref", "scf"),
            *("shape", "tensor", "test", "tosa"),
        ),
        since={
            18: ("ub", "vector"),
            19: ("complex",),
            20: ("nvvm",),
            22: ("amdgpu", "builtin", "index", "rocdl"),
        },
    )
    """Dialects whose ops may be inlined.

    `test` is a dialect of LLVM's own tests; most builds lack it, and reject programs that use it."""

    inline_makes_alias_scopes = fact(since=18)
    """inline copies alias scopes, and creates new ones for `noalias` arguments."""

    inline_scopes_count_arguments = fact(since=20, unprobed="hidden")
    """inline gives no alias scope to an access with an unknown base.

    An access that may be based on an argument without `noalias` gets no scope of a `noalias` argument."""

    inline_canonicalizes_kernels = fact(since=18)
    """inline canonicalizes a gpu.func like other functions."""

    inline_keeps_last_use = fact(until=19)
    """inline keeps the last call of a private llvm.func, for which it would move the body, not copy it."""

    inline_skips_cycles = fact(since=20)
    """inline does not inline a function that calls the caller, directly or indirectly."""

    inline_crashes_without_return = fact(until=19, unprobed="builds")
    """inline crashes at a callee with a single block that does not end with llvm.return."""

    inlines_most_llvm_ops = fact(since=19)
    """inline accepts all ops of the llvm dialect except two; earlier releases accept those in
    `inlined_llvm_ops`."""

    inlines_llvm_metadata = fact(since=17)
    """inline accepts ops with metadata such as alias scopes."""

    inlined_llvm_ops = names(
        ("llvm.load", "llvm.store", "llvm.call"),
        since={
            17: (
                *("llvm.alloca", "llvm.intr.assume", "llvm.atomicrmw", "llvm.cmpxchg", "llvm.fence"),
                *("llvm.inline_asm", "llvm.unreachable", "llvm.intr.expect"),
                *("llvm.intr.dbg.declare", "llvm.intr.dbg.label", "llvm.intr.dbg.value"),
                *("llvm.intr.lifetime.start", "llvm.intr.lifetime.end"),
                *("llvm.intr.stacksave", "llvm.intr.stackrestore"),
                *("llvm.intr.memcpy", "llvm.intr.memcpy.inline", "llvm.intr.memmove", "llvm.intr.memset"),
                "llvm.intr.experimental.noalias.scope.decl",
            ),
            18: ("llvm.call_intrinsic",),
        },
        unprobed="debug",
    )
    """Ops of the llvm dialect with effects that inline accepts if `inlines_most_llvm_ops` is false."""

    inline_asks_no_inline = fact(since=19)
    """A callee with the attribute `no_inline` is not inlined; in earlier releases, one with `noinline` in
    `passthrough`."""

    inline_asks_calls = fact(since=21)
    """A call with the attribute `no_inline` is not inlined."""

    inline_refuses_attributes = fact(until=16)
    """A callee with argument or result attributes, `passthrough` or a garbage collector is not inlined."""

    byval_copies_are_aligned = fact(since=23, until=23, source="measured; 24's snapshot is from before")
    """inline sets the alignment of the copy for a `byval` argument."""

    lifetimes_have_sizes = fact(until=21)
    """llvm.intr.lifetime.start and .end have a size operand before the pointer."""

    assume_has_bundles = fact(since=20)
    """llvm.intr.assume has operand bundles."""
