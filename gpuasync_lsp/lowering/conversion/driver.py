"""A small dialect conversion: patterns that replace ops and change the types of values on the way.

MLIR's conversion driver keeps the original ops until the end, so that a pattern sees an op as it was written
and, next to it, what its operands have become. So does this one:

- the ops are visited once, in the order in which MLIR visits them;
- a pattern inserts new ops before the old one and says what its results become (`replace`); nothing is
  erased yet, `ConversionRewriter.lowered` maps old values to new ones;
- an op that no pattern takes stays. At the end it gets casts (`builtin.unrealized_conversion_cast`) back to
  its original operand types; values that it defines were cast where lowered ops needed them.

Every op that a pattern inserts carries the location of the op that it is made from: the line map relies on
this provenance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.defects import SAID
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, Refused
from gpuasync_lsp.lowering.conversion.folders import fold_as_it_is
from gpuasync_lsp.lowering.conversion.folders.arith import put_constant_last, skip_inner_cast
from gpuasync_lsp.lowering.conversion.folders.memref import skip_casts
from gpuasync_lsp.lowering.conversion.folders.vector import say_in_bounds
from gpuasync_lsp.lowering.conversion.greedy import fold_in_place
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.dialects.llvm import ConstantOp
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.xdsl_speed import operands_of
from gpuasync_lsp.text.defects import contained
from gpuasync_lsp.text.effort import spend

Legality = Mapping[type[Operation], Callable[[Operation], bool]]
"""Which ops of some classes are legal as they are; one that is not has to be converted."""


@dataclass(frozen=True)
class Leftover:
    """An op that a pattern was there for and that stayed, with the reason of the last pattern."""

    op: Operation
    reason: str


def convert(
    rewriter: ConversionRewriter,
    ops: Iterable[Operation],
    patterns: Patterns,
    legality: Legality,
    *,
    in_place: bool = False,
) -> list[Leftover]:
    """Convert `ops` and all that is in them; return what stayed although a pattern was there for it.

    Ops fold before, those that stay as well; with `in_place` also into other ops of their kind.

    Raises LegalizationError for the first op that is not legal and that no pattern takes."""
    left: list[Leftover] = []
    blocks = _last_successor_first if rewriter.profile.last_successor_first else _depth_first
    for op in [inner for top in ops for inner in _preorder(top, blocks)]:
        spend(10)
        if rewriter.is_gone(op):
            continue
        is_legal = legality.get(type(op))
        if is_legal is not None and is_legal(op):
            continue
        if in_place:
            fold_in_place(op, rewriter.profile)
        if _fold(op, rewriter, bool(patterns.of(arith.ConstantOp)), arith.ConstantOp in legality):
            continue
        candidates = patterns.of(type(op))
        if not candidates and is_legal is None:
            continue
        reason = _try(op, candidates, rewriter)
        if reason is None:
            continue
        if is_legal is not None:
            raise LegalizationError(op, reason)
        if reason:  # one without is nothing to are about: the op is legal as it is
            left.append(Leftover(op, reason))
    return left


def finish(rewriter: ConversionRewriter) -> None:
    """Cast for the ops that stayed, then erase what was replaced."""
    rewriter.values.cast_back(rewriter.is_gone)
    for op in reversed(rewriter.replaced):
        op.detach()
        op.erase(safe_erase=False)
    rewriter.values.erase_old()


def _try(op: Operation, candidates: Sequence[AnyPattern], rewriter: ConversionRewriter) -> str | None:
    """Try the patterns for `op` in turn; return None once one took it, else the last one's reason."""
    reason = "nothing converts it"

    def failed(message: str, error: Exception) -> str:
        if _uses_unknown(op):
            return f"it uses what an unknown op makes, so that it was not verified ({error})"
        return message

    for pattern in candidates:
        rewriter.values.begin()
        with rewriter.instead_of(op):

            def convert(pattern: ConversionPattern[Operation] = pattern) -> None:
                rewriter.lowered_all(operands_of(op))
                pattern.match_and_rewrite(op, rewriter)

            try:
                told = contained(f"the lowering of '{op.name}'", convert, failed, Refused, *SAID)
            except Refused as refused:
                told = str(refused)
            if told is None:
                return None
            reason = told
            rewriter.values.withdraw()
            rewriter.withdraw()
    return reason


def _uses_unknown(op: Operation) -> bool:
    owners = (value.owner for value in op.operands)
    defining = (owner.parent_op() if isinstance(owner, Block) else owner for owner in owners)
    return any(isinstance(each, OpaqueOp) for each in defining)


def _fold(
    op: Operation, rewriter: ConversionRewriter, to_constants: bool, constants_stay: bool = False
) -> bool:
    """Replace `op` by what it folds to, as MLIR's driver does before it tries any pattern.

    Constants that it makes are converted, or stay where they are legal, or it takes everything back."""
    operands = op.operands
    skip_inner_cast(op)
    if rewriter.profile.converts_constants_last or isinstance(op, arith.CmpiOp):
        put_constant_last(op)
    folded = fold_as_it_is(op, rewriter.profile)
    if folded is None and (skip_casts(op) or say_in_bounds(op)):
        folded = fold_as_it_is(op, rewriter.profile)
    if folded is None:
        return False
    if not to_constants and not constants_stay and not all(isinstance(value, SSAValue) for value in folded):
        # The constant would stay, which the driver takes back with all that it did to the op.
        op.operands = operands
        return False
    with rewriter.instead_of(op):
        for result, value in zip(op.results, folded, strict=True):
            if isinstance(value, SSAValue):
                rewriter.values.fold(result, value)
            elif constants_stay:
                rewriter.values.fold(result, rewriter.add(value).result)
            else:
                type = rewriter.converted(value.result.type)
                constant = ConstantOp.create(result_types=[type], properties={"value": value.value})
                rewriter.values.become(result, rewriter.add(constant).res)
    rewriter.erase(op)
    return True


def _preorder(op: Operation, order: Callable[[Region], Iterable[Block]]) -> Iterator[Operation]:
    """Yield `op` and what is in it, a block before the blocks that it leads to, as MLIR's driver does."""
    yield op
    for region in op.regions:
        for block in order(region):
            for inner in block.ops:
                yield from _preorder(inner, order)


def _last_successor_first(region: Region) -> Iterable[Block]:
    """Visit blocks as 16 does: a block is taken once it is seen, the last one seen first."""
    if region.first_block is None:
        return
    seen = {region.first_block}
    pending = [region.first_block]
    while pending:
        block = pending.pop()
        yield block
        for successor in block.last_op.successors if block.last_op is not None else ():
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)


def _depth_first(region: Region) -> Iterable[Block]:
    if region.first_block is None or region.first_block is region.last_block:
        return region.blocks
    order: dict[Block, None] = {}
    pending = [region.first_block]
    while pending:
        block = pending.pop()
        if block in order:
            continue
        order[block] = None
        if block.last_op is not None:
            pending.extend(reversed(block.last_op.successors))
    return order
