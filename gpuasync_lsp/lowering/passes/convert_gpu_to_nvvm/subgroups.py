"""Converts ops across the lanes of a subgroup (a warp of 32): ballot, reduce, broadcast and rotate.

mlir-opt rejects broadcast and rotate."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm.ids import WARP, register
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm.sync import as_words
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import intrinsic
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm import ICmpOp
from gpuasync_lsp.syntax.ods.by_table import TableOp

ALL = -1
"""The mask of all lanes."""


class ConvertBallot(ConversionPattern[gpu.BallotOp]):
    """`gpu.ballot` becomes `nvvm.vote.sync ballot` of all lanes."""

    def match_and_rewrite(self, op: gpu.BallotOp, rewriter: ConversionRewriter) -> None:
        type: Attribute = rewriter.converted(op.result.type)
        if type not in (i32, i64):
            rewriter.match_failure("a ballot has 32 or 64 bits")
        lanes = _ballot(rewriter, rewriter.lowered(op.predicate))
        rewriter.replace(op, [lanes if type == i32 else build.cast(rewriter, llvm.ZExtOp, lanes, type)])


class ConvertBroadcast(ConversionPattern[TableOp], ops=(gpu.SubgroupBroadcastOp,)):
    """`gpu.subgroup_broadcast` becomes a shuffle from one lane, by default the first active one."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        lane = _first_lane(rewriter) if op.lane is None else rewriter.lowered(op.lane)
        rewriter.replace(op, [_from_lane(rewriter, rewriter.lowered(op.src), lane)])


class ConvertRotate(ConversionPattern[TableOp], ops=(gpu.RotateOp,)):
    """`gpu.rotate` becomes a shuffle from the lane that is `offset` further on, modulo `width`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        lane = register(rewriter, "laneid")
        width = op.width.value.data
        further = build.arithmetic(
            rewriter, llvm.AddOp, lane, build.integer_constant(rewriter, op.offset.value.data)
        )
        last = build.integer_constant(rewriter, width - 1)
        source = rewriter.create(llvm.AndOp, [further, last], i32)
        value = _from_lane(rewriter, rewriter.lowered(op.value), source)
        if width == WARP:
            valid = build.constant(rewriter, BoolAttr.from_bool(True), i1)
        else:
            valid = rewriter.add(ICmpOp("ult", lane, build.integer_constant(rewriter, width))).results[0]
        rewriter.replace(op, [value, valid])


class ConvertReduce(ConversionPattern[TableOp], ops=(gpu.SubgroupReduceOp,)):
    """A uniform `gpu.subgroup_reduce` becomes `nvvm.redux.sync`, on targets that support it.

    Source: `GPUSubgroupReduceOpLowering` in mlir/lib/Conversion/GPUToNVVM/LowerGpuOpsToNVVMOps.cpp."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.options.has_redux:
            rewriter.match_failure("the target has no redux.sync")
        kind = _REDUX_KINDS.get(op.op.data.value)
        if op.uniform is None or op.cluster_size is not None or op.value.type != i32 or kind is None:
            rewriter.match_failure("redux.sync reduces i32 over a warp, with add, min, max, and, or or xor")
        operands = [rewriter.lowered(op.value), build.integer_constant(rewriter, ALL)]
        name = "reduction_kind" if rewriter.profile.redux_has_reduction_kind else "redux_kind"
        reduced = insert(rewriter, "redux.sync", operands, [i32], {"kind": f"#nvvm<{name} {kind}>"})
        rewriter.replace(op, reduced.results)


_REDUX_KINDS = {
    **{kind: kind for kind in ("add", "and", "max", "min", "or", "xor")},
    "maxsi": "max",
    "minsi": "min",
}
"""Maps each reduction with an instruction to its kind in `nvvm.redux.sync`. Measured in all releases."""

PATTERNS: Sequence[AnyPattern] = (ConvertBallot(), ConvertReduce())
MORE_PATTERNS: Sequence[AnyPattern] = (ConvertBroadcast(), ConvertRotate())


def _ballot(rewriter: ConversionRewriter, predicate: SSAValue) -> SSAValue:
    lanes = [build.integer_constant(rewriter, ALL), predicate]
    return insert(rewriter, "vote.sync", lanes, [i32], {"kind": "#nvvm<vote_sync_kind ballot>"}).results[0]


def _first_lane(rewriter: ConversionRewriter) -> SSAValue:
    """Emit the index of the first active lane."""
    running = _ballot(rewriter, build.constant(rewriter, BoolAttr.from_bool(True), i1))
    return rewriter.create(intrinsic("cttz"), [running], i32, {"is_zero_poison": BoolAttr.from_bool(True)})


def _from_lane(rewriter: ConversionRewriter, value: SSAValue, lane: SSAValue) -> SSAValue:
    """Emit a shuffle that returns the `value` of a given lane."""
    words, rebuild = as_words(rewriter, value)
    kind = {"kind": "#nvvm<shfl_kind idx>"}
    shuffled: list[SSAValue] = []
    for word in words:
        operands = [
            build.integer_constant(rewriter, ALL),
            word,
            lane,
            build.integer_constant(rewriter, WARP - 1),
        ]
        shuffled.append(insert(rewriter, "shfl.sync", operands, [word.type], kind).results[0])
    return rebuild(shuffled)
