"""A small dialect conversion: patterns that replace ops and convert the types of values.

Like MLIR's conversion driver, this one keeps the original ops until the end, so that a pattern sees the
original op and also the lowered values of its operands:

- the ops are visited once, in MLIR's order;
- a pattern inserts new ops before the old one and declares the new values of its results (`replace`); nothing
  is erased yet, `ConversionRewriter.lowered` maps old values to new ones;
- an op without a matching pattern remains. At the end its operands are cast back to their original types
  (`builtin.unrealized_conversion_cast`); its results are cast for the lowered ops that use them.

Every op that a pattern inserts has the location of the op that it replaces: the line map relies on this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.defects import INTENTIONAL
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, MatchFailure
from gpuasync_lsp.lowering.conversion.folders import fold_as_it_is
from gpuasync_lsp.lowering.conversion.folders.arith import put_constant_last, skip_inner_cast
from gpuasync_lsp.lowering.conversion.folders.memref import skip_casts
from gpuasync_lsp.lowering.conversion.folders.vector import mark_in_bounds
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
"""Maps an op class to a function that returns whether an op is legal; illegal ops must be converted."""


def always(op: Operation) -> bool:
    """The legality function of an op class that is always legal."""
    return True


def never(op: Operation) -> bool:
    """The legality function of an op class that is always illegal."""
    return False


@dataclass(frozen=True)
class Leftover:
    """An op for which patterns exist but none succeeded, with the last pattern's failure reason."""

    op: Operation
    reason: str


def convert(
    rewriter: ConversionRewriter,
    root: Operation,
    patterns: Patterns,
    legality: Legality,
    *,
    in_place: bool = False,
) -> list[Leftover]:
    """Convert the ops inside `root`; return those for which patterns exist but none succeeds.

    Each op is folded before its patterns are tried; with `in_place`, in-place folds are applied too. Raises
    LegalizationError for the first illegal op that no pattern converts."""
    left: list[Leftover] = []
    blocks = _last_successor_first if rewriter.profile.last_successor_first else _depth_first
    tops = (op for region in root.regions for block in region.blocks for op in block.ops)
    for op in [inner for top in tops for inner in _preorder(top, blocks)]:
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
        if reason:  # An empty reason means that the op is legal.
            left.append(Leftover(op, reason))
    _finish(rewriter)
    return left


def _finish(rewriter: ConversionRewriter) -> None:
    """Insert casts for the remaining ops, then erase the converted ops."""
    rewriter.values.cast_back(rewriter.is_gone)
    for op in reversed(rewriter.replaced):
        op.detach()
        op.erase(safe_erase=False)
    rewriter.values.erase_old()


def _try(op: Operation, candidates: Sequence[AnyPattern], rewriter: ConversionRewriter) -> str | None:
    """Try the patterns for `op` in order; return None if one matches, otherwise the last failure's reason."""
    reason = "nothing converts it"

    def failed(message: str, error: Exception) -> str:
        if _uses_unknown(op):
            return f"it uses a result of an unknown op, so it was not verified ({error})"
        return message

    for pattern in candidates:
        rewriter.values.begin()
        with rewriter.instead_of(op):

            def convert(pattern: ConversionPattern[Operation] = pattern) -> None:
                rewriter.lowered_all(operands_of(op))
                pattern.match_and_rewrite(op, rewriter)

            try:
                error = contained(f"the lowering of '{op.name}'", convert, failed, MatchFailure, *INTENTIONAL)
            except MatchFailure as refused:
                error = str(refused)
            if error is None:
                return None
            reason = error
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
    """Fold `op`, as MLIR's driver does before it tries patterns; return whether it was folded.

    The resulting constants are converted, or kept if they are legal; otherwise the fold is rolled back."""
    operands = op.operands
    skip_inner_cast(op)
    if rewriter.profile.converts_constants_last or isinstance(op, arith.CmpiOp):
        put_constant_last(op)
    folded = fold_as_it_is(op, rewriter.profile)
    if folded is None and (skip_casts(op) or mark_in_bounds(op)):
        folded = fold_as_it_is(op, rewriter.profile)
    if folded is None:
        return False
    if not to_constants and not constants_stay and not all(isinstance(value, SSAValue) for value in folded):
        # The constant would be illegal, so MLIR's driver rolls back all changes to the op.
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
    """Yield `op` and the ops inside it in the order of MLIR's driver; `blocks` yields a region's blocks."""
    yield op
    for region in op.regions:
        for block in order(region):
            for inner in block.ops:
                yield from _preorder(inner, order)


def _last_successor_first(region: Region) -> Iterable[Block]:
    """Yield blocks in the order of LLVM 16 and 17: a stack of successors, each pushed when first seen."""
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
