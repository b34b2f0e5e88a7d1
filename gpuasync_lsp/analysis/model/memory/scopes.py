"""The end of a memref.alloca's lifetime: the exit of its function, memref.alloca_scope or task."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

_ENDS = {
    "func.return": "func.func",
    "memref.alloca_scope.return": "memref.alloca_scope",
    "async.yield": "async.execute",
}
"""Maps terminators to the scope op that they end."""
_SCOPES = frozenset(_ENDS.values())
"""Ops that end the lifetime of the allocas in them.

According to MLIR, a loop's iteration also ends it, but after lowering only the enclosing scope does."""


def ends_scope(op: Operation) -> bool:
    """Return whether the lifetime of an alloca may end at `op`."""
    return op.name in _ENDS


class Scopes:
    """Maps each scope in one function to its allocas."""

    def __init__(self, function: Operation) -> None:
        self._made: dict[Operation, list[SSAValue]] = {}
        for op in function.walk():
            if op.name == "memref.alloca" and (scope := _enclosing_scope(op)) is not None:
                self._made.setdefault(scope, []).append(op.results[0])

    def ended_by(self, op: Operation) -> list[SSAValue]:
        """Return the allocas whose lifetime ends at `op`, a terminator."""
        scope = _enclosing_scope(op)
        return self._made.get(scope, []) if scope is not None and scope.name == _ENDS.get(op.name) else []


def _enclosing_scope(op: Operation) -> Operation | None:
    around = op.parent_op()
    while around is not None and around.name not in _SCOPES:
        around = around.parent_op()
    return around
