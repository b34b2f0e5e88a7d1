"""Behavior of other conversions and lowerings, one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact, names

AccessFlags = Literal["none", "all", "by-stride"]
LoopAnnotations = Literal["none", "condition", "for", "all"]


class Passes:
    """Behavior of other conversions and lowerings."""

    functions_need_entry_only = fact(since=20)
    """A function is converted even if a block other than the first has arguments that cannot be."""

    functions_lose_no_inline = fact(since=20)
    """`no_inline` of a func.func does not reach its llvm.func."""

    casts_in_order = fact(until=18, unprobed="order")
    """The casts that the conversion driver inserts at one place are in the order in which they were
    requested; later in the reverse order."""

    poison_aggregates = fact(since=21, source="PR 125629")
    """Aggregates are built from `llvm.mlir.poison`; `llvm.mlir.undef` before."""

    lazy_casts = fact(since=20, unprobed="order")
    """The conversion driver inserts casts, and descriptors of memref arguments, when a value is first
    needed; before, those of arguments with the function, last argument first, and one for each result."""

    null_is_zero = fact(since=18)
    """The null pointer is `llvm.mlir.zero`; `llvm.mlir.null` before."""

    casts_arguments_twice = fact(since=19, until=19, unprobed="order")
    """The lowered value of a memref argument is cast back and forth again where it is used."""

    casts_at_old = fact(until=19, unprobed="order")
    """A result with uses in a remaining op is cast at the replaced op, once per use; later at the new
    value, once for all."""

    last_successor_first = fact(until=17, unprobed="order")
    """The conversion driver visits the blocks of a region from the entry, the last successor first; later
    depth first. This decides the order of ops that joins insert after one op."""

    access_flags: Fact[AccessFlags] = by_release({16: "none", 21: "all", 23: "by-stride"})
    """Flags on the address arithmetic of memref.load and store: `none`, `all` (nsw, nuw, inbounds), or
    `by-stride`: nuw only where no stride is dynamic or negative."""

    packs_llvm_types_only = fact(until=21, unprobed="hidden")
    """A function with several results converts only if all have LLVM types; 22 creates a struct that the
    verifier rejects."""

    unranked_sizes_shared = fact(until=21)
    """For several unranked results, all sizes are computed first, from shared constants, then all are
    copied; later each separately."""

    atomic_maximum_is_fmax = fact(until=20)
    """memref.atomic_rmw maximumf becomes `fmax`, and maxnumf does not lower; later `fmaximum` and `fmax`."""

    casts_must_reconcile = fact(until=17)
    """reconcile-unrealized-casts fails at a cast that remains; later releases leave it silently."""

    switch_bits = by_release({16: 0, 18: 32, 23: 64})
    """The width to which convert-scf-to-cf casts the flag of scf.index_switch; 0: the op is not lowered."""

    functions_lose_public = fact(since=18)
    """A converted function loses an explicit `public` visibility."""

    functions_with_bodies = fact(until=19)
    """convert-func-to-llvm converts arith and cf as well."""

    functions_with_data_layout = fact(until=17)
    """The pass adds an `llvm.data_layout` to the module."""

    branches_must_convert = fact(since=20)
    """convert-cf-to-llvm fails at a branch that it cannot convert."""

    affine_flags = fact(since=20)
    """lower-affine marks products as not overflowing."""

    affine_extrema_are_ops = fact(since=19)
    """lower-affine uses arith.maxsi and arith.minsi, not a comparison and a select."""

    pointers_of_all_views = fact(until=21)
    """expand-strided-metadata takes the pointer of any view's source; later only for a subview or a
    reinterpret_cast."""

    extracts_from_subviews = fact(since=19, unprobed="hidden")
    """expand-strided-metadata computes the metadata of a memref.subview before it expands the subview
    itself."""

    extracts_from_reshapes = fact(since=20, unprobed="hidden")
    """expand-strided-metadata computes the metadata of a memref.expand_shape or collapse_shape before it
    expands these."""

    drops_dimensions_by_position = fact(since=23)
    """A subview with dynamic strides drops unit dimensions by position, not by stride."""

    expanded_sizes_are_given = fact(since=23)
    """expand-strided-metadata takes the sizes of a memref.expand_shape from its output_shape, without
    divisions."""

    collapses_to_least_stride = fact(until=19)
    """expand-strided-metadata gives collapsed dimensions the least of their strides, not the last."""

    parallel_ends_with_yield = fact(until=17)
    """scf.parallel ends with scf.yield, an scf.reduce for each value before that."""

    expands_delinearization = fact(since=19)
    """lower-affine lowers affine.delinearize_index, in LLVM 19 by way of affine.apply."""

    expands_affine_indices = fact(since=20)
    """lower-affine lowers affine.linearize_index, and computes strides once."""

    index_sums_have_flags = fact(since=21)
    """lower-affine marks the sums and products of affine index ops as not overflowing."""

    loop_annotations: Fact[LoopAnnotations] = by_release({16: "none", 20: "condition", 21: "for", 22: "all"})
    """The target of a loop's `llvm.loop_annotation` in convert-scf-to-cf: none, the branch into the body
    of scf.for, or the branch back of scf.for, or of scf.while as well."""

    memory_effects = by_release(
        {
            16: ("memory", ""),
            20: ("memory_effects", ""),
            22: ("memory_effects", ", errnoMem = none, targetMem0 = none, targetMem1 = none"),
        }
    )
    """The lowering of a function's llvm.readnone: the name of the attribute, and the locations besides the
    usual three."""

    spirv_shuffles_without_size = fact(since=23)
    """convert-gpu-to-llvm-spv lowers gpu.shuffle in a kernel that names no size of subgroups."""

    xevm_annotates_pointers = fact(since=23)
    """convert-xevm-to-llvm writes cache controls as annotations of pointers, and folds constants."""

    xevm_loads_rows_of_32_bytes_in_pairs = fact(since=23)
    """convert-xevm-to-llvm loads a block of 8-bit elements, 32 wide, as half as many i16 as the vector has
    elements."""

    keeps_subgroup_size = fact(until=22)
    """It leaves `intel_reqd_sub_group_size` of a gpu.func at the llvm.func."""

    keeps_function_attributes = fact(since=23)
    """llvm.readnone and func.varargs are kept besides their lowered form."""

    returns_bare_allocation = fact(since=17)
    """With bare pointers a memref is returned as the pointer to free, not to access."""

    extracts_from_space_casts = fact(since=20)
    """expand-strided-metadata looks through memref.memory_space_cast."""

    keeps_tf32 = fact(until=19)
    """Conversions to llvm treat tf32 as legal, so that a function with it fails; later it is not
    converted."""

    fills_quotients_first = fact(until=20)
    """The real part of a complex quotient is inserted into its struct before the imaginary one is
    computed."""

    complex_products_first = fact(since=23)
    """A complex product computes its four products before their difference and sum."""

    counts_without_zeros = fact(until=19)
    """The number of elements of a new buffer ignores sizes of 0."""

    transposes_by_source = fact(until=18)
    """The loops of linalg.transpose are the dimensions of its input, not of its output."""

    trigonometric_intrinsics = fact(since=21)
    """math.tan, tanh, sinh, cosh, asin, acos, atan and atan2 become intrinsics; 19 does not lower them."""

    exchanges_float_bits = fact(since=23)
    """memref.generic_atomic_rmw of floats exchanges their bits; before, `llvm.cmpxchg` of floats fails in
    the verifier."""

    assumes_by_bundles = fact(since=21)
    """memref.assume_alignment has a result, without whose use it is dead, and becomes an `align` bundle;
    before, it becomes a test of the low bits."""

    small_floats_stay = fact(since=22)
    """arith ops on floats of 8 bits or less are not lowered; before, they are lowered to integers and fail
    in the verifier."""

    accesses_keep_alignment = fact(since=22)
    """`alignment` of memref.load and store is kept on the llvm op."""

    integer_math_by_rows = by_release({16: True, 21: False, 23: True})
    """math.absi, ctlz and cttz of vectors of several dimensions are unrolled."""

    expands_rounding_divisions = fact(since=20)
    """arith.ceildivsi, ceildivui and floordivsi on the host are expanded; 16 and 19 do not lower them."""

    ceil_divides_by_signs = fact(until=20)
    """An expanded arith.ceildivsi divides twice, for equal signs and for others; 21, 22 and 24 correct the
    truncated quotient."""

    signed_memory_spaces = fact(until=19)
    """A memory space `1 : ui64` is accepted as an address space."""

    linkage_is_property = fact(since=23)
    """An error about a linkage names a property."""

    bare_pointers_by_attribute = fact(since=17)
    """A function with `llvm.bareptr` takes and returns bare pointers."""

    contraction_without_body = by_release(
        {16: "(add, mul) operations not found", 18: "expected add/mul op in the body"}
    )
    """The error of linalg's verifier about a contraction whose body was converted."""

    for_steps_are_verified = fact(until=18)
    """The verifier rejects an scf.for with a constant step below 1."""

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
    """Dialects whose ops may be inlined. `test` belongs to LLVM's own tests: most builds do not know it, nor
    read programs with it."""

    inline_makes_alias_scopes = fact(since=18)
    """inline copies alias scopes, and creates new ones for `noalias` arguments."""

    inline_scopes_count_arguments = fact(since=20, unprobed="hidden")
    """An access that may be based on an argument without `noalias` gets no alias scope of a `noalias` one;
    one with an unknown base gets none at all."""

    inline_canonicalizes_kernels = fact(since=18)
    """inline canonicalizes a gpu.func like other functions."""

    inline_keeps_last_use = fact(until=19)
    """The last call of a private llvm.func is not inlined: its body would be moved, not copied."""

    inline_skips_cycles = fact(since=20)
    """inline does not inline a function that in turn calls the caller."""

    inline_crashes_without_return = fact(until=19, unprobed="builds")
    """inline crashes at a callee whose only block does not end with llvm.return."""

    inlines_most_llvm_ops = fact(since=19)
    """inline accepts all ops of the llvm dialect but two; before, those in `inlined_llvm_ops`."""

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
    """Ops of the llvm dialect with effects that inline accepts before it accepts most."""

    inline_asks_no_inline = fact(since=19)
    """A callee with the attribute `no_inline` is not inlined; before, one with `noinline` in
    `passthrough`."""

    inline_asks_calls = fact(since=21)
    """A call with the attribute `no_inline` is not inlined."""

    inline_refuses_attributes = fact(until=16)
    """A callee with attributes of arguments or results, `passthrough` or a garbage collector is not
    inlined."""

    byval_copies_are_aligned = fact(since=23, until=23, source="measured; 24's snapshot is from before")
    """inline sets the alignment of the copy for a `byval` argument."""

    lifetimes_have_sizes = fact(until=21)
    """llvm.intr.lifetime.start and .end have a size before the pointer."""

    assume_has_bundles = fact(since=20)
    """llvm.intr.assume has operand bundles."""
