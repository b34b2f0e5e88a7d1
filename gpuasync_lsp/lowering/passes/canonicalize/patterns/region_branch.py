"""Simplifies the values that ops with regions forward: removes invariant and unused ones.

A loop forwards its initial values to the arguments of its body; the body forwards its yielded values to
these arguments or to the loop's results. A `Column` contains the block arguments and results that
receive the same values, its `inputs`, and the operands that are forwarded to them.

Sources: the patterns of `RegionBranchOpInterface` in mlir/lib/Interfaces/ControlFlowInterfaces.cpp
(LLVM 22), and those of scf.for, scf.if and scf.while in mlir/lib/Dialect/SCF/IR/SCF.cpp (earlier).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import end_of, is_inside, keep_results
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import scf


@dataclass
class Column:
    """Block arguments and results that receive the same forwarded values."""

    inputs: list[SSAValue]
    """The block arguments and results that receive the values."""

    operands: list[tuple[Operation, int]]
    """The forwarded operands, as pairs of an op and an operand number."""

    place: int
    """A number shared by columns whose values the same ops forward."""

    @property
    def values(self) -> list[SSAValue]:
        """The forwarded values."""
        return [op.operands[index] for op, index in self.operands]

    @property
    def is_used(self) -> bool:
        """Whether any input has a use."""
        return any(value.first_use is not None for value in self.inputs)


def _columns(op: Operation) -> list[Column]:
    if isinstance(op, scf.ForOp):
        body, end = op.body.block, end_of(op.body)
        return [
            Column([body.args[1 + i], op.results[i]], [(op, 3 + i), (end, i)], 0)
            for i in range(len(op.results))
        ]
    if isinstance(op, scf.WhileOp):
        before, after = op.before_region.block, op.after_region.block
        condition, end = end_of(op.before_region), end_of(op.after_region)
        starts = [Column([argument], [(op, i), (end, i)], 0) for i, argument in enumerate(before.args)]
        return starts + [
            Column([after.args[i], op.results[i]], [(condition, 1 + i)], 1) for i in range(len(op.results))
        ]
    ends = [
        block.last_op
        for region in op.regions
        for block in region.blocks
        if isinstance(block.last_op, scf.YieldOp)
    ]
    return [Column([result], [(end, i) for end in ends], 0) for i, result in enumerate(op.results)]


def _use_what_is_passed(op: Operation, profile: Profile) -> bool:
    """Replace the uses of an input with a value from outside the op if it receives only that value."""
    transitive = profile.region_branch_patterns or isinstance(op, scf.WhileOp)
    columns = _columns(op)
    by_input = {value: column for column in columns for value in column.inputs}
    changed = False
    for column in columns:
        if not column.is_used:
            continue
        origin = _origin(column, by_input if transitive else dict.fromkeys(column.inputs, column))
        if origin is None or is_inside(origin, op.regions) or origin in by_input:
            continue
        for value in column.inputs:
            value.replace_all_uses_with(origin)
        changed = True
    return changed


def _origin(column: Column, by_input: dict[SSAValue, Column]) -> SSAValue | None:
    """Return the only value that `column` receives from outside the columns in `by_input`, or None."""
    seen: list[Column] = [column]
    found: SSAValue | None = None
    for current in seen:  # The loop extends `seen`.
        for value in current.values:
            through = by_input.get(value)
            if through is None:
                if found is not None and found is not value:
                    return None
                found = value
            elif not any(through is other for other in seen):
                seen.append(through)
    return found


def _share_equal(op: Operation, profile: Profile) -> bool:
    """If two columns receive equal values, replace uses of the second one's inputs with the first's."""
    if not (
        profile.region_branch_patterns
        or (profile.loops_pass_once and isinstance(op, scf.ForOp))
        or (profile.newer_scf_patterns and isinstance(op, scf.WhileOp))
    ):
        return False
    changed = False
    known: dict[tuple[int, tuple[SSAValue, ...]], Column] = {}
    for column in _columns(op):
        first = known.setdefault((column.place, tuple(column.values)), column)
        if first is not column and column.is_used:
            for old, new in zip(column.inputs, first.inputs, strict=True):
                old.replace_all_uses_with(new)
            changed = True
    return changed


def _drop_unread(op: Operation, profile: Profile) -> bool:
    """Remove unused inputs; in older releases, those of scf.while only if all forwarded values are equal."""
    unread = [
        column
        for column in _columns(op)
        if not column.is_used
        and (
            profile.newer_scf_patterns
            or not isinstance(op, scf.WhileOp)
            or column.place > 0
            or len({*column.values}) == 1
        )
    ]
    if not unread:
        return False
    gone: dict[Operation, set[int]] = {}
    for column in unread:
        for user, index in column.operands:
            gone.setdefault(user, set()).add(index)
    for user, indices in gone.items():
        if user is not op:
            user.operands = _without(user.operands, indices)
    inputs = [value for column in unread for value in column.inputs]
    results = {value.index for value in inputs if isinstance(value, OpResult)}
    for value in reversed(inputs):
        if isinstance(value, BlockArgument):
            value.block.erase_arg(value)
    kept = [index for index in range(len(op.results)) if index not in results]
    keep_results(op, kept, _without(op.operands, gone.get(op, set())))
    return True


def _without(values: Sequence[SSAValue], indices: set[int]) -> list[SSAValue]:
    return [value for index, value in enumerate(values) if index not in indices]


def pass_less(op: Operation, profile: Profile) -> bool:
    """Simplify the forwarded values of scf.for, scf.if and scf.while."""
    return _use_what_is_passed(op, profile) or _share_equal(op, profile) or _drop_unread(op, profile)


def pass_less_newly(op: Operation, profile: Profile) -> bool:
    """Simplify the forwarded values of ops for which only newer releases have such patterns."""
    return profile.region_branch_patterns and pass_less(op, profile)
