"""Converts `scf.for`, `scf.if`, `scf.while` and their terminators if the types of their values change.

Source: `populateSCFStructuralTypeConversionsAndLegality`, as mlir-opt 18 to 24 applies it: the legality
of loops and branches depends on their results (for scf.while and scf.condition, on their operands as
well), and all operands of an illegal op are converted, so that bounds of type index become i64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.ir import Attribute, Operation, Region

from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.syntax.dialects import scf

_STRUCTURAL = (scf.ForOp, scf.IfOp, scf.WhileOp)


class ConvertStructuralOp(ConversionPattern[Operation], ops=_STRUCTURAL):
    """Converts the operands, block arguments and results of a loop or branch."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        for region in op.regions:
            for block in region.blocks:
                rewriter.convert_arguments(block)
        _rebuild(op, rewriter)


class ConvertTerminator(ConversionPattern[Operation], ops=(scf.YieldOp, scf.ConditionOp)):
    """Makes `scf.yield` and `scf.condition` forward the converted values."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _rebuild(op, rewriter)


def _rebuild(op: Operation, rewriter: ConversionRewriter) -> None:
    """Replace `op` with an op of its class with converted operands and results; move its blocks there."""
    regions = [Region() for _ in op.regions]
    new = type(op).create(
        operands=rewriter.lowered_all(op.operands),
        result_types=[rewriter.converted(result.type) for result in op.results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    rewriter.add(new)
    for old, region in zip(op.regions, regions, strict=True):
        old.move_blocks(region)
    rewriter.replace(op, list(new.results))


def legality(types: TypeConverter) -> dict[type[Operation], Callable[[Operation], bool]]:
    """Return the legality functions of loops, branches and their terminators."""

    def are_legal(*found: Attribute) -> bool:
        return all(map(types.is_legal, found))

    def by_results(op: Operation) -> bool:
        return are_legal(*op.result_types)

    def by_all(op: Operation) -> bool:
        return are_legal(*op.operand_types, *op.result_types)

    def hands_over(op: Operation) -> bool:
        return not isinstance(op.parent_op(), _STRUCTURAL) or are_legal(*op.operand_types)

    return {
        scf.ForOp: by_results,
        scf.IfOp: by_results,
        scf.WhileOp: by_all,
        cast("type[Operation]", scf.ConditionOp): by_all,
        scf.YieldOp: hands_over,
    }


PATTERNS = (ConvertStructuralOp(), ConvertTerminator())
