"""Converts barriers and shuffles for AMD's targets."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm.sync import as_words
from gpuasync_lsp.lowering.passes.convert_gpu_to_rocdl.ids import lane
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import MmraTagAttr
from gpuasync_lsp.syntax.ods.by_table import TableOp

SLT = 2
"""The predicate `slt` of `llvm.icmp`."""

ACQUIRE, RELEASE = 4, 5
"""Values of the ordering of `llvm.fence`."""

_OF_SCOPES = {"workgroup": ("rocdl.s.barrier", "workgroup"), "subgroup": ("rocdl.wave.barrier", "wavefront")}
"""Maps each scope to its barrier op, and to the scope's name in fences."""
_TAGS = {"workgroup": "local", "global": "global"}
"""Maps an address space to the tag of a fence that orders only that space; without tags, it orders all."""

_MOVES: dict[str, type[Operation] | None] = {
    "xor": llvm.XOrOp,
    "up": llvm.SubOp,
    "down": llvm.AddOp,
    "idx": None,
}
"""Maps each mode to the op that computes the source lane from lane and offset; None if no op is needed."""


class ConvertBarrier(ConversionPattern[gpu.BarrierOp]):
    """`gpu.barrier` becomes `rocdl.barrier`, in newer releases `rocdl.s.barrier` between memory fences."""

    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: ConversionRewriter) -> None:
        scope = "workgroup" if op.scope is None else op.scope.data
        if op.named_barrier is not None or scope == "cluster":
            rewriter.match_failure("it needs a newer chip than the pass's default")
        if not rewriter.profile.fences_barriers:
            rewriter.add(build.table_op("rocdl.barrier").create())
        else:
            name, waits_for = _OF_SCOPES[scope]
            tags = _tags(op)
            if tags:
                _fence(rewriter, RELEASE, waits_for, tags)
            rewriter.add(build.table_op(name).create())
            if tags:
                _fence(rewriter, ACQUIRE, waits_for, tags)
        rewriter.erase(op)


class ConvertShuffle(ConversionPattern[TableOp], ops=(gpu.ShuffleOp,)):
    """`gpu.shuffle` becomes `rocdl.ds_bpermute`; a source lane outside the width is ignored."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        value, offset, width = rewriter.lowered_all((op.value, op.offset, op.width))
        mode = op.mode.data.value
        is_simple = mode in ("xor", "idx") and value.type in (i32, f32, i64, f64)
        facts = rewriter.profile
        if not (facts.rocdl_shuffles and (is_simple or facts.rocdl_shuffles_all)):
            rewriter.match_failure("this release has no pattern for it")
        if value.type not in (i64, f64):
            source, valid = _source(rewriter, mode, offset, width)
            (word,), rebuild = as_words(rewriter, value, keep_f32=False)
            rewriter.replace(op, [rebuild([_permute(rewriter, source, word)]), valid])
            return
        (low, high), rebuild = as_words(rewriter, value)
        source, _ = _source(rewriter, mode, offset, width)
        moved = [_permute(rewriter, source, low)]
        source, valid = _source(rewriter, mode, offset, width)
        moved.append(_permute(rewriter, source, high))
        rewriter.replace(op, [rebuild(moved), valid])


class ConvertBroadcast(ConversionPattern[TableOp], ops=(gpu.SubgroupBroadcastOp,)):
    """`gpu.subgroup_broadcast` becomes `rocdl.readlane`, or `readfirstlane` for the first active lane."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        kind = build.table_op("rocdl.readfirstlane" if op.lane is None else "rocdl.readlane")
        source = rewriter.lowered_all(op.operands)
        new = rewriter.add(kind.create(operands=source, result_types=[source[0].type]))
        rewriter.replace(op, new.results)


class ConvertBallot(ConversionPattern[gpu.BallotOp]):
    """`gpu.ballot` becomes `rocdl.ballot`."""

    def match_and_rewrite(self, op: gpu.BallotOp, rewriter: ConversionRewriter) -> None:
        kind = build.table_op("rocdl.ballot")
        predicate = rewriter.lowered(op.predicate)
        new = rewriter.add(kind.create(operands=[predicate], result_types=[op.result.type]))
        rewriter.replace(op, new.results)


PATTERNS = (ConvertBarrier(), ConvertShuffle(), ConvertBroadcast(), ConvertBallot())


def _tags(op: gpu.BarrierOp) -> list[str]:
    """Return the tags of a barrier's fences, following LLVM's memory model for AMD's targets.

    Private memory needs no fence. Measured in LLVM 23.
    """
    if op.address_spaces is None:
        return list(_TAGS.values())
    named = {space.data for space in op.address_spaces if isinstance(space, gpu.AddressSpaceAttr)}
    return [tag for space, tag in _TAGS.items() if space in named]


def _fence(rewriter: ConversionRewriter, ordering: int, scope: str, tags: Sequence[str]) -> None:
    properties = {"ordering": IntegerAttr(ordering, i64), "syncscope": StringAttr(scope)}
    attributes: dict[str, Attribute] = {}
    if len(tags) < len(_TAGS):
        attributes["llvm.mmra"] = MmraTagAttr(StringAttr("amdgpu-synchronize-as"), StringAttr(tags[0]))
    rewriter.add(llvm.FenceOp.create(properties=properties, attributes=attributes))


def _permute(rewriter: ConversionRewriter, source: SSAValue, word: SSAValue) -> SSAValue:
    kind = build.table_op("rocdl.ds_bpermute")
    return rewriter.create(kind, [source, word], i32)


def _source(
    rewriter: ConversionRewriter, mode: str, offset: SSAValue, width: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Return the byte address of the source lane, and whether that lane is within the width."""
    here = lane(rewriter)
    zero = build.integer_constant(rewriter, 0, i32)
    mask = build.arithmetic(rewriter, llvm.SubOp, zero, width)
    end = _binary(rewriter, llvm.AndOp, build.arithmetic(rewriter, llvm.AddOp, here, width), mask)
    move = _MOVES[mode]
    there = offset if move is None else _binary(rewriter, move, here, offset)
    valid = rewriter.create(llvm.ICmpOp, [there, end], i1, {"predicate": IntegerAttr(SLT, i64)})
    chosen = rewriter.create(llvm.SelectOp, [valid, there, here], i32)
    return _binary(rewriter, llvm.ShlOp, chosen, build.integer_constant(rewriter, 2, i32)), valid


def _binary(rewriter: ConversionRewriter, kind: type[Operation], left: SSAValue, right: SSAValue) -> SSAValue:
    return rewriter.create(kind, [left, right], i32)
