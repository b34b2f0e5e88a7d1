"""Values that ops use but do not define, and the ops that contain an op."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Operation, SSAValue


def captured(ops: Iterable[Operation], owner: Operation | None = None) -> list[SSAValue]:
    """Return the values that `ops` use but do not define, in MLIR's order.

    MLIR visits the ops nested in an op before its operands. `ops` are the body of `owner`; its block
    arguments are treated as defined inside.
    """
    roots = list(ops)
    inside = {inner for op in roots for inner in op.walk()}
    found: dict[SSAValue, None] = {}
    for op in roots:
        for inner in op.walk(region_first=True):
            for operand in inner.operands:
                definer = operand.owner
                around = definer if isinstance(definer, Operation) else definer.parent_op()
                is_argument = around is owner and definer is not owner
                if around not in inside and not is_argument:
                    found[operand] = None
    return list(found)


def ancestors(op: Operation) -> Iterator[Operation]:
    """Yield the ops around `op`, the innermost first."""
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()
