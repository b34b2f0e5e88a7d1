"""Memrefs that are stored to memory and loaded again, if the stored value is known."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.syntax.effects import is_memref

_ALLOCATIONS = frozenset({"memref.alloc", "memref.alloca"})
_OTHERS = frozenset({"memref.dealloc", "memref.dim"})
"""Ops other than loads and stores that may use the memory: none of them can store to it."""


class Stored:
    """Resolves loads of memrefs in one function."""

    def __init__(self) -> None:
        self._stores: dict[SSAValue, list[tuple[tuple[int, ...], Operation]] | None] = {}
        self._order: dict[Block, dict[Operation, int]] = {}

    def loaded(self, op: Operation) -> SSAValue | None:
        """Return the memref that the memref.load `op` returns; None if it is uncertain.

        The memref is certain if the memory does not escape, all stores have constant indices, and exactly one
        store with the load's indices dominates the load.
        """
        if not is_memref(op.results[0].type) or (at := _indices(op, 1)) is None:
            return None
        stores = self._into(op.operands[0])
        here = [store for where, store in stores or () if where == at]
        if len(here) != 1 or not self._comes_before(here[0], op):
            return None
        return here[0].operands[0]

    def _into(self, memory: SSAValue) -> list[tuple[tuple[int, ...], Operation]] | None:
        if memory not in self._stores:
            self._stores[memory] = _all_stores(memory)
        return self._stores[memory]

    def _comes_before(self, first: Operation, second: Operation) -> bool:
        inner: Operation | None = second
        while inner is not None and inner.parent is not first.parent:
            inner = inner.parent_op()
        block = first.parent
        if inner is None or block is None:
            return False
        if block not in self._order:
            self._order[block] = {op: number for number, op in enumerate(block.ops)}
        return self._order[block][first] < self._order[block][inner]


def _all_stores(memory: SSAValue) -> list[tuple[tuple[int, ...], Operation]] | None:
    """Return all stores to `memory` with their indices; None if there may be others."""
    if not isinstance(memory.owner, Operation) or memory.owner.name not in _ALLOCATIONS:
        return None
    found: list[tuple[tuple[int, ...], Operation]] = []
    for use in memory.uses:
        op = use.operation
        if op.name == "memref.store" and use.index == 1:
            at = _indices(op, 2)
            if at is None:
                return None
            found.append((at, op))
        elif op.name not in _OTHERS and op.name != "memref.load":
            return None
    return found


def _indices(op: Operation, first: int) -> tuple[int, ...] | None:
    known = [constant(value) for value in list(op.operands)[first:]]
    numbers = tuple(number for number in known if number is not None)
    return numbers if len(numbers) == len(known) else None
