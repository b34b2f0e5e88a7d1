"""The insertion point that patterns use, and a record of the inserted ops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import NewOpT, block_of, insert_before


class Inserter(ABC):
    """Inserts ops at a place that the subclass determines."""

    @abstractmethod
    def add(self, op: NewOpT) -> NewOpT:
        """Insert `op` and return it."""

    def value(self, op: Operation) -> SSAValue:
        """Insert `op` and return its first result."""
        return self.add(op).results[0]

    def create(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] = {},
        *,
        attributes: Mapping[str, Attribute] = {},
        regions: Sequence[Region] = (),
    ) -> SSAValue:
        """Insert an op of class `kind` with one result of this type, and return the result."""
        op = kind.create(
            operands=operands,
            result_types=[type],
            properties=properties,
            attributes=attributes,
            regions=regions,
        )
        return self.add(op).results[0]


class OpBuilder(Inserter):
    """Inserts ops before `source`, or at the end of `block` if given, with the location of `source`."""

    def __init__(self, source: Operation, block: Block | None = None) -> None:
        self.source = source
        self._block = block

    def add(self, op: NewOpT) -> NewOpT:
        """Insert `op` and return it."""
        if self._block is None:
            return insert_before(self.source, op)
        op.location = self.source.location
        self._block.add_op(op)
        return op


class Insertion(Inserter):
    """An insertion point, and the ops inserted for the op under conversion."""

    def __init__(self) -> None:
        self.op: Operation = ModuleOp([])
        """The op under conversion; new ops get its location and are inserted before it by default."""
        self._before: Operation | None = None
        self._block: Block | None = None
        self._inserted: list[Operation] = []

    def add(self, op: NewOpT) -> NewOpT:
        """Insert `op` at the insertion point, with the location of the op under conversion."""
        op.location = self.op.location
        if self._before is not None:
            block_of(self._before).insert_op_before(op, self._before)
        else:
            assert self._block is not None
            self._block.add_op(op)
        self._inserted.append(op)
        return op

    @contextmanager
    def instead_of(self, op: Operation) -> Generator[None]:
        """Make `op` the op under conversion, set the insertion point before it, and clear the record."""
        self.op = op
        self._inserted = []
        with self._at(block_of(op), op):
            yield

    @contextmanager
    def directly_after(self, op: Operation) -> Generator[None]:
        """Set the insertion point directly after `op`; leave it unchanged if `op` is not in a block."""
        block, before = (self._block, self._before) if op.parent is None else (op.parent, op.next_op)
        with self._at(block, before):
            yield

    @contextmanager
    def at_start(self, block: Block) -> Generator[None]:
        """Set the insertion point to the start of `block`."""
        with self._at(block, block.first_op):
            yield

    @contextmanager
    def at_end(self, block: Block) -> Generator[None]:
        """Set the insertion point to the end of `block`."""
        with self._at(block, None):
            yield

    def commit(self) -> None:
        """Keep the ops inserted so far, even if the pattern fails afterwards."""
        self._inserted = []

    def withdraw(self) -> None:
        """Erase the ops inserted for the op under conversion."""
        for op in reversed(self._inserted):
            op.detach()
            op.erase(safe_erase=False)

    @contextmanager
    def _at(self, block: Block | None, before: Operation | None) -> Generator[None]:
        saved = self._block, self._before
        self._block, self._before = block, before
        try:
            yield
        finally:
            self._block, self._before = saved
