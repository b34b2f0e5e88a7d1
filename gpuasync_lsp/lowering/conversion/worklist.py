"""The greedy rewrite driver for all passes but `canonicalize`; its worklist begins with the last op.

The order of rewrites determines the operands that a pattern sees, and thus its result. An op that is
inserted, changed, or gets new operands is visited next. Source: `GreedyPatternRewriteDriver` in
mlir/lib/Transforms/Utils/GreedyPatternRewriteDriver.cpp; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import NewOpT, insert_before
from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.conversion.greedy import (
    CONSTANTS,
    MAX_ROUNDS,
    fold_all_dialects,
    fold_in_place,
    identity_of,
    is_dead,
    isolated_region,
    materialize_before,
    share_constants,
    simplify_regions,
)
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text.effort import spend


class Rewriter:
    """Lets patterns change the program, and maintains the worklist."""

    def __init__(self, root: Operation, profile: Profile, constants: Iterable[Operation] = ()) -> None:
        """`constants` contains the merged constants at the front of each function."""
        self.profile = profile
        self._root = root
        self._pending: dict[Operation, None] = {}
        self._leading = {_place_of(op): op for op in constants}

    def insert(self, op: NewOpT, before: Operation) -> NewOpT:
        """Insert `op` before another op, with the location of that op."""
        insert_before(before, op)
        self.push(op)
        return op

    def index(self, value: SSAValue | int, before: Operation) -> SSAValue:
        """Return `value` as an SSA value, creating a constant for an int."""
        return (
            self.insert(integer(value, IndexType()), before).results[0] if isinstance(value, int) else value
        )

    def replace(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        """Replace the results of `op` with `values`, and erase it; an unused result may have None."""
        for result, value in zip(op.results, values, strict=True):
            if value is not None:
                for use in list(result.uses):
                    self.push(use.operation)
                result.replace_all_uses_with(value)
        self.erase(op)

    def erase(self, op: Operation) -> None:
        """Erase an op whose results have no uses."""
        owners = [value.owner for value in op.operands]
        for inner in op.walk():
            self._pending.pop(inner, None)
            if inner.name in CONSTANTS and self._leading.get(_place_of(inner)) is inner:
                del self._leading[_place_of(inner)]
        op.detach()
        op.erase(safe_erase=False)
        for owner in owners:
            if isinstance(owner, Operation) and owner.parent is not None and not _has_many_uses(owner):
                self.push(owner)

    def push(self, op: Operation) -> None:
        """Push `op` unless it is already on the worklist."""
        spend()
        if op is not self._root:
            self._pending.setdefault(op)

    def run(self, patterns: Mapping[type[Operation], Sequence[Pattern]]) -> bool:
        """Process all ops, beginning with the last one; return whether anything changed."""
        for op in self._root.walk(region_first=True):
            self.push(op)
        changed = False
        while self._pending:
            spend()
            op, _ = self._pending.popitem()
            changed |= self._rewrite(op, patterns.get(type(op), ()))
        return changed

    def expand(self, op: Operation, patterns: Mapping[type[Operation], Sequence[Pattern]]) -> None:
        """Rewrite `op`, then the ops that the rewrite inserts, in order."""
        pending = [op]
        while pending:
            op = pending.pop()
            if op.parent is None or not any(pattern(op, self) for pattern in patterns.get(type(op), ())):
                continue
            pending += reversed(self._pending)
            self._pending.clear()

    def _rewrite(self, op: Operation, patterns: Sequence[Pattern]) -> bool:
        if is_dead(op, self.profile):
            self.erase(op)
            return True
        if op.name in CONSTANTS:
            return self.profile.folded_constants_lead and self._hoist_constant(op)
        values = fold_all_dialects(op, self.profile)
        if values is not None:
            self.replace(op, [self._value(op, value) for value in values])
            return True
        if fold_in_place(op, self.profile):
            self.push(op)
            return True
        return any(pattern(op, self) for pattern in patterns)

    def _value(self, op: Operation, value: SSAValue | Operation) -> SSAValue:
        if isinstance(value, SSAValue):
            return value
        materialize_before(op, value)
        if self.profile.folded_constants_lead:
            return self._hoisted_constant(value)
        self.push(value)
        return value.results[0]

    def _hoist_constant(self, op: Operation) -> bool:
        """Move a constant to the front of its function, or replace it with an equal one there.

        Return False for a constant that was processed before. Source: `OperationFolder::tryToFold` of
        LLVM 18."""
        if self._leading.get(_place_of(op)) is not op:
            self._hoisted_constant(op)
            return True
        before = op.prev_op
        leads = op is _front_of(op).first_op or (
            before is not None and before.name in CONSTANTS and self._leading.get(_place_of(before)) is before
        )
        if not leads:
            _move_to_front(op)
        return False

    def _hoisted_constant(self, op: Operation) -> SSAValue:
        """Merge the new constant `op` with an equal one at the front of its function; return the result."""
        known = self._leading.setdefault(_place_of(op), op)
        if known is op or known.parent is op.parent:
            _move_to_front(known)
        if known is not op:
            self.replace(op, known.results)
        else:
            self.push(op)
        return known.results[0]


def _front_of(op: Operation) -> Block:
    front = isolated_region(op).first_block
    assert front is not None, "the op itself is in a block"
    return front


def _move_to_front(op: Operation) -> None:
    front = _front_of(op)
    if op is not front.first_op:
        op.detach()
        assert front.first_op is not None
        front.insert_op_before(op, front.first_op)


def _place_of(constant: Operation) -> tuple[Region, object]:
    """Return the body of the function that contains a constant, and a key that equal constants share."""
    return isolated_region(constant), identity_of(constant)


Pattern = Callable[[Any, Rewriter], bool]
"""Tries to rewrite an op of the class under which a table lists the pattern; returns whether it succeeded."""


def rewrite_greedily(
    root: Operation, profile: Profile, patterns: Mapping[type[Operation], Sequence[Pattern]]
) -> None:
    """Rewrite the ops inside `root` in place until nothing changes."""
    for _ in range(MAX_ROUNDS):
        changed = Rewriter(root, profile, share_constants(root, profile)).run(patterns)
        if not (changed | simplify_regions(root, profile)):
            return


def expand_in_order(
    root: Operation, profile: Profile, patterns: Mapping[type[Operation], Sequence[Pattern]]
) -> None:
    """Rewrite the ops inside `root` in place, in program order and without folding, as a conversion does.

    Ops that a pattern inserts are rewritten at once."""
    rewriter = Rewriter(root, profile)
    for op in list(root.walk()):
        if op is not root:
            rewriter.expand(op, patterns)


def _has_many_uses(op: Operation) -> bool:
    """Return whether each result of `op` has more than one user; if so, no pattern simplifies it."""
    return all(len({use.operation for use in result.uses}) > 1 for result in op.results)
