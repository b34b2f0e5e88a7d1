"""How releases print and parse MLIR, and what their verifiers report; one line per fact."""

from __future__ import annotations

from typing import Literal

from gpuasync_lsp.releases.fact import Fact, by_release, fact, names

IndexArrays = Literal["read", "crash", "rejected"]


class Syntax:
    """Facts about the syntax and the verifier messages of releases."""

    properties_are_written = fact(since=17)
    """Generic ops print inherent attributes in `<{...}>`; earlier releases have one dictionary for all
    attributes."""

    generic_ops = names(
        until={
            18: ("gpu.yield",),
            19: ("llvm.intr.assume", "quant.dcast", "quant.qcast", "quant.scast"),
            21: ("llvm.intr.debugtrap", "llvm.intr.trap", "llvm.intr.ubsantrap"),
        }
    )
    """Ops without a custom assembly in the release, although later releases have one."""

    tosa_has_assembly = fact(since=18)
    """The ops of tosa have a custom assembly."""

    assume_alignment_has_result = fact(since=21)
    """memref.assume_alignment has a result."""

    reduce_ends_loops = fact(since=19, source="measured; 18 is main of December 2023")
    """scf.parallel ends with scf.reduce, not with scf.yield."""

    gpu_module_has_end = fact(until=19)
    """A gpu.module in the generic form ends with gpu.module_end; later releases have no such op."""

    reciprocal_says_booleans = fact(since=23)
    """nvgpu.rcp is written with `approx = true, ftz = true`."""

    extract_names_source_type = fact(since=18)
    """vector.extract has the types `: RESULT from SOURCE`; in earlier releases, only the source's type."""

    rank_0_vectors_compute = fact(since=19)
    """arith ops accept vectors of rank 0."""

    says_current_words = fact(since=22)
    """Verifiers use the wording of this tool's messages; `older_words.py` has that of earlier releases."""

    variadic_calls_say_type = fact(since=19)
    """llvm.call of a variadic function has the attribute `var_callee_type`."""

    addressed_ops = by_release(
        {
            16: "'llvm.mlir.global' or 'llvm.func'",
            21: "'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func'",
            22: "'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func' or 'llvm.mlir.ifunc'",
        }
    )
    """The ops that llvm.mlir.addressof can refer to, in the verifier's words."""

    called_ops = by_release({16: "function", 22: "function or IFunc", 23: "function, IFunc, or alias"})
    """The kinds of symbols that llvm.call can call, in the verifier's words."""

    pointers_are_opaque = fact(since=18)
    """Pointers have no element type: `!llvm.ptr<i32>` is rejected."""

    system_specs_have_equals = fact(since=20)
    """A `#dlti.target_system_spec` has `=` after a device's name; LLVM 19 has `:`, and earlier releases lack
    the attribute."""

    memory_effects_have_errno = fact(since=22)
    """`#llvm.memory_effects` has the fields errnoMem, targetMem0 and targetMem1."""

    arrays_take_bits = fact(until=19)
    """The elements of `array<...>` may have a bit width that is not a multiple of 8."""

    arrays_take_index: Fact[IndexArrays] = by_release({16: "read", 20: "crash", 23: "rejected"})
    """How the parser handles `array<index: 1>`; releases with `read` produce a wrong number."""

    locations_have_ranges = fact(since=20)
    """A location may be a range, or a line without a column."""

    matrices_of_doubles = fact(since=22)
    """`!gpu.mma_matrix` may have elements of type f64."""

    matrices_of_integers = fact(since=17)
    """`!gpu.mma_matrix` may have elements of type si8, ui8 and i32."""

    vectors_of_llvm_types = fact(since=21)
    """`vector<4x!llvm.ptr>` is a valid type."""

    any_dimension_is_scalable = fact(since=18)
    """Any dimension of a vector may be scalable, not only trailing ones."""

    subviews_compare_strides = fact(since=19)
    """The verifier compares the strides in the result type of a memref.subview with the inferred ones."""

    reinterpret_casts_to_dynamic = fact(since=20)
    """A size or stride that is an operand of memref.reinterpret_cast must be dynamic in the result type."""

    bitcast_rejects_index = fact(until=19)
    """arith.bitcast of index is rejected by the op's C++ verifier; in later releases, by the operand
    constraint."""

    affine_symbols_are_checked = fact(since=21)
    """The verifier follows definitions to distinguish symbols and dimensions of affine ops."""

    nvgpu_products_check_ranks = fact(since=20)
    """nvgpu.mma.sync checks the ranks of its matrices."""

    arrays_of_structs_are_constants = fact(since=21)
    """llvm.mlir.constant may be an array of structs."""

    targets_need_texts = fact(since=21)
    """The strings of a `#nvvm.target` must not be empty, and its chip must be sm_20 or newer."""

    optimization_has_levels = fact(since=22)
    """The optimization level of a `#nvvm.target` is at most 3."""

    chips_are_checked = fact(since=22)
    """An NVVM op that the chip of its gpu.module lacks is rejected; LLVM 21 prints an error and continues."""

    chip_lists_are_short = fact(since=22, until=22)
    """An NVVM op that several accelerated chips support is accepted only for the first of them."""

    matrices_say_shape = fact(since=22)
    """nvvm.ldmatrix and nvvm.stmatrix have an attribute with the shape of their matrices."""

    xegpu_of_blocks = fact(since=21, source="measured with LLVM 21 and 22; LLVM 19 differs, 20 is unknown")
    """The verifiers of the xegpu dialect expect types of blocks that a whole subgroup reads and writes."""

    layouts_come_in_pairs = fact(since=23)
    """A `#xegpu.layout` with sg_layout must have sg_data, and one with lane_layout must have lane_data."""

    sizes_are_checked_on_all_ops = fact(since=19)
    """The verifier checks known block and grid sizes on every op; `nvvm.maxntid` must be `array<i32>`."""

    memrefs_allow_any_layout = fact(since=21)
    """`bufferization.buffer_layout` may specify any memref layout, not only a map."""
