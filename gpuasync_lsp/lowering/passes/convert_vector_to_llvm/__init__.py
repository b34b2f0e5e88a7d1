"""`convert-vector-to-llvm`: ops on vectors are unrolled into rows, and rows become llvm ops.

The patterns that create llvm ops are those of gpu-to-llvm (`gpu_to_llvm/host/vector.py`). A greedy
rewrite first lowers the ops that these patterns do not match. Through LLVM 19, slices, masks and fma are
lowered during the conversion instead, which does not fold ops. Source:
mlir/lib/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.cpp; measured in LLVM 16 to 19 and 21 to 24.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.driver import Leftover, always, convert
from gpuasync_lsp.lowering.conversion.errors import OwnLimit, PassError
from gpuasync_lsp.lowering.conversion.patterns import Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter, expand_in_order, rewrite_greedily
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import accesses, making, masks, unrolling
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.broadcasts import lower_broadcast
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.contractions import (
    DOT,
    OUTER_PRODUCT,
    PARALLEL,
    lower_contraction,
)
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.products import lower_outer_product
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.shape_casts import lower_shape_cast
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.slices import lower_extract_slice, lower_insert_slice
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.steps import lower_step
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm.transposes import fold_transposes, lower_transpose
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import vector_print
from gpuasync_lsp.lowering.passes.gpu_to_llvm.transfers import lower_transfer
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.kinds import vector_type
from gpuasync_lsp.syntax.printer import attribute_text


@dataclass(frozen=True)
class Options:
    """The options of the pass, under mlir-opt's names."""

    reassociate_fp_reductions: bool = False
    force_32bit_vector_indices: bool = True
    use_vector_alignment: bool = False
    vector_contract_lowering: str = DOT
    vector_transpose_lowering: str = "eltwise"


def convert_vector_to_llvm(
    root: Operation, profile: Profile, options: Options, given: LoweringOptions
) -> list[Leftover]:
    """Lower the vector ops inside `root` in place, like `profile`'s release; return the unlowered ops.

    Raises PassError for an op whose lowering in that release is not supported here."""
    for op in root.walk():
        _check(op, profile, options)
    progressive, late = _progressive(profile, options), _late(profile, options)
    if profile.greedy_prepass:
        rewrite_greedily(root, profile, {**progressive, **_both(progressive, late)})
    else:
        rewrite_greedily(root, profile, progressive)
        expand_in_order(root, profile, late)
    expand_in_order(root, profile, _in_conversion(profile, options))
    return _convert(root, profile, options, given)


def _transfer(profile: Profile) -> Pattern:
    def lower(op: Operation, rewriter: Rewriter) -> bool:
        return lower_transfer(op, rewriter, splats=not profile.broadcasts_scalars)

    return lower


def _progressive(profile: Profile, options: Options) -> dict[type[Operation], Sequence[Pattern]]:
    """Return the patterns that all releases apply greedily."""
    transfers = [_transfer(profile)]
    return {
        vector.BroadcastOp: [lower_broadcast],
        vector.ContractionOp: [lower_contraction(options.vector_contract_lowering)],
        vector.OuterProductOp: [lower_outer_product],
        vector.TransposeOp: [fold_transposes, lower_transpose],
        vector.TransferReadOp: transfers,
        vector.TransferWriteOp: transfers,
        **{kind: [fold] for kind, fold in masks.MASKED.items()},
        **(accesses.SINGLE_ELEMENTS if profile.loads_single_elements else {}),
        **({vector.BitCastOp: [unrolling.unroll_bitcast]} if profile.unrolls_bitcasts else {}),
        **({vector.StepOp: [lower_step]} if profile.vector_step != "intrinsic" else {}),
        op_class("vector.shape_cast"): [lower_shape_cast],
        op_class("vector.create_mask"): [masks.fold_create_mask, masks.lower_create_mask],
        op_class("vector.constant_mask"): [masks.lower_constant_mask],
        op_class("vector.expandload"): [masks.fold_packed],
        op_class("vector.compressstore"): [masks.fold_packed],
        op_class("vector.interleave"): [unrolling.unroll_interleave],
        op_class("vector.deinterleave"): [unrolling.unroll_interleave],
    }


def _late(profile: Profile, options: Options) -> dict[type[Operation], Sequence[Pattern]]:
    """Return the patterns applied greedily since LLVM 20, and during the conversion through LLVM 19."""
    transfers = [masks.mask_transfer, _transfer(profile)]
    found: dict[type[Operation], Sequence[Pattern]] = {
        vector.FMAOp: [unrolling.unroll_fma],
        vector.TransferReadOp: transfers,
        vector.TransferWriteOp: transfers,
        **(accesses.SINGLE_ELEMENTS if profile.loads_single_elements else {}),
        op_class("vector.create_mask"): [masks.compare_with_bound(options.force_32bit_vector_indices)],
        op_class("vector.extract_strided_slice"): [lower_extract_slice],
        op_class("vector.insert_strided_slice"): [lower_insert_slice],
    }
    if not profile.gathers_rows:
        found[vector.GatherOp] = [unrolling.unroll_gather]
    if profile.unrolls_elements:
        found[vector.FromElementsOp] = [unrolling.unroll_from_elements]
        found[vector.ToElementsOp] = [unrolling.unroll_to_elements]
    return found


def _in_conversion(profile: Profile, options: Options) -> dict[type[Operation], Sequence[Pattern]]:
    """Return the patterns that all releases apply during the conversion."""
    narrow = options.force_32bit_vector_indices
    return {op_class("vector.create_mask"): [masks.compare_scalable_with_bound(narrow)]}


def _both(
    first: Mapping[type[Operation], Sequence[Pattern]], second: Mapping[type[Operation], Sequence[Pattern]]
) -> dict[type[Operation], Sequence[Pattern]]:
    return {kind: [*first.get(kind, ()), *patterns] for kind, patterns in second.items()}


def _convert(root: Operation, profile: Profile, options: Options, given: LoweringOptions) -> list[Leftover]:
    kept = replace(
        given,
        index_bits=64,
        reassociate_fp_reductions=options.reassociate_fp_reductions,
        use_vector_alignment=options.use_vector_alignment,
    )
    types = TypeConverter(async_types=False)
    rewriter = ConversionRewriter(
        types, profile.but(broadcasts_scalars=True, converts_index_and_complex=True), kept
    )
    rewriter.functions_convert = rewriter.branches_convert = False
    rewriter.arith_converts = False
    legality: dict[type[Operation], Callable[[Operation], bool]] = dict.fromkeys(
        (type(op) for op in root.walk() if op.name.startswith(_LEGAL)), always
    )
    legality |= dict.fromkeys((UnrealizedConversionCastOp, arith.ConstantOp), always)
    return convert(rewriter, root, Patterns(vector_print.PATTERNS), legality, in_place=True)


_MASKABLE = frozenset(
    f"vector.{name}"
    for name in (
        *("contract", "gather", "multi_reduction", "outerproduct", "reduction"),
        *("transfer_read", "transfer_write"),
    )
)
_LEGAL = ("arith.", "memref.", "llvm.")


_KNOWN = frozenset(
    f"vector.{name}"
    for name in (
        *("bitcast", "broadcast", "compressstore", "constant_mask", "contract", "create_mask"),
        *("deinterleave", "expandload", "extract", "extract_strided_slice", "extractelement", "fma"),
        *("flat_transpose", "from_elements", "gather", "insert", "insert_strided_slice", "insertelement"),
        *("interleave", "load", "mask", "maskedload", "maskedstore", "matrix_multiply", "multi_reduction"),
        *("outerproduct", "print", "reduction", "scalable.extract", "scalable.insert", "scan", "scatter"),
        *("shape_cast", "shuffle", "splat", "step", "store", "to_elements", "transfer_read"),
        *("transfer_write", "transpose", "type_cast", "vscale", "warp_execute_on_lane_0", "yield"),
    )
)
_MASKED = "a contraction, a reduction, an outer product, a gather or a transfer"
_OTHERS = ("amx.", "arm_neon.", "arm_sme.", "arm_sve.", "x86vector.", "x86.")


def _check(op: Operation, profile: Profile, options: Options) -> None:
    contracts, transposes = options.vector_contract_lowering, options.vector_transpose_lowering
    if isinstance(op, vector.ContractionOp) and contracts not in (DOT, OUTER_PRODUCT, PARALLEL):
        raise OwnLimit(op, f"this tool does not lower 'vector.contract' with {contracts!r}")
    if isinstance(op, vector.ContractionOp | vector.TransposeOp) and transposes != "eltwise":
        raise OwnLimit(op, f"this tool does not lower 'vector.transpose' with {transposes!r}")
    if op.name.startswith("vector.") and op.name not in _KNOWN:
        raise OwnLimit(op, f"this tool does not lower {op.name!r} as LLVM {profile.version} does")
    if isinstance(op, vector.MaskOp):
        inner = op.mask_region.block.first_op
        if inner is None or inner.name not in _MASKABLE:
            raise OwnLimit(op, f"this tool lowers {op.name!r} only around {_MASKED}")
        if isinstance(inner, vector.ContractionOp) and (
            contracts == OUTER_PRODUCT or op.passthru is not None
        ):
            raise OwnLimit(op, "this tool does not lower 'vector.mask' of a contraction with outer products")
        if inner.name == "vector.reduction" and not profile.predicates_reductions:
            raise PassError(op, "'vector.mask' op expects a maskable operation")
    if op.name == "vector.shape_cast" and not profile.casts_scalable_shapes:
        types = (vector_type(op.operands[0].type), vector_type(op.results[0].type))
        if any(any(making.scalable(type)) for type in types):
            raise OwnLimit(op, f"this tool does not cast scalable vectors as LLVM {profile.version} does")
    if isinstance(op, vector.ToElementsOp) and not profile.unrolls_elements:
        given = vector_type(op.operands[0].type)
        if len(given.get_shape()) > 1:
            kind = attribute_text(TypeConverter().convert(given) or given)
            message = f"operand #0 must be LLVM dialect-compatible vector type, but got '{kind}'"
            raise PassError(op, f"'llvm.extractelement' op {message}")
    if op.name.startswith(_OTHERS):
        raise OwnLimit(op, f"this tool does not lower {op.name!r}")
