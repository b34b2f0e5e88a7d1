"""Where memory of memref.alloca ends: where its function, its memref.alloca_scope or its task is left."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

_ENDS = {
    "func.return": "func.func",
    "memref.alloca_scope.return": "memref.alloca_scope",
    "async.yield": "async.execute",
}
"""Per terminator: what it leaves."""
_SCOPES = frozenset(_ENDS.values())
"""Ops that end what is allocated in them. Loops do so by MLIR's rules, too, but lower without: there it ends
with what is around them."""


def ends_scope(op: Operation) -> bool:
    """Return whether memory of memref.alloca may end at `op`."""
    return op.name in _ENDS


class Scopes:
    """Knows the memory of memref.alloca of one function."""

    def __init__(self, function: Operation) -> None:
        self._made: dict[Operation, list[SSAValue]] = {}
        for op in function.walk():
            if op.name == "memref.alloca" and (scope := _scope_around(op)) is not None:
                self._made.setdefault(scope, []).append(op.results[0])

    def ended_by(self, op: Operation) -> list[SSAValue]:
        """Return the memory that ends at `op`, a terminator."""
        scope = _scope_around(op)
        return self._made.get(scope, []) if scope is not None and scope.name == _ENDS.get(op.name) else []


def _scope_around(op: Operation) -> Operation | None:
    around = op.parent_op()
    while around is not None and around.name not in _SCOPES:
        around = around.parent_op()
    return around
