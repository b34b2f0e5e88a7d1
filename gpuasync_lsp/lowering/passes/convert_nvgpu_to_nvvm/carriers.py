"""`scf.for`, `scf.if` and `scf.while` that carry what changes its type: the ops and their terminators follow.

Source: `populateSCFStructuralTypeConversionsAndLegality`, as mlir-opt 18 to 24 apply it: loops and branches
are looked at by their results (scf.while and scf.condition by their operands as well), and where one changes,
all of its operands do, so that bounds of type index become i64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.ir import Attribute, Operation, Region

from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.syntax.dialects import scf

_CARRIERS = (scf.ForOp, scf.IfOp, scf.WhileOp)


class ConvertCarrier(ConversionPattern[Operation]):
    """A loop or a branch gets operands, block arguments and results of the converted types."""

    op_types = _CARRIERS

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        for region in op.regions:
            for block in region.blocks:
                rewriter.convert_arguments(block)
        _rebuild(op, rewriter)


class ConvertTerminator(ConversionPattern[Operation]):
    """`scf.yield` and `scf.condition` hand over the converted values."""

    op_types = (scf.YieldOp, scf.ConditionOp)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _rebuild(op, rewriter)


def _rebuild(op: Operation, rewriter: ConversionRewriter) -> None:
    """Replace `op` by one of its kind on what its operands have become, around the same blocks."""
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
    """Return when these ops are legal as they are."""

    def are_legal(*found: Attribute) -> bool:
        return all(map(types.is_legal, found))

    def by_results(op: Operation) -> bool:
        return are_legal(*op.result_types)

    def by_all(op: Operation) -> bool:
        return are_legal(*op.operand_types, *op.result_types)

    def hands_over(op: Operation) -> bool:
        return not isinstance(op.parent_op(), _CARRIERS) or are_legal(*op.operand_types)

    return {
        scf.ForOp: by_results,
        scf.IfOp: by_results,
        scf.WhileOp: by_all,
        cast("type[Operation]", scf.ConditionOp): by_all,
        scf.YieldOp: hands_over,
    }


PATTERNS = (ConvertCarrier(), ConvertTerminator())
