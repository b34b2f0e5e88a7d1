"""Token operands after block merging: new values replace the operands that merging changes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.building.merging import Merging
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface


class Operands:
    """Replaces the token operands of one function that block merging changes."""

    def __init__(self, merging: Merging, values: Values) -> None:
        self.written: dict[SSAValue, SSAValue] = {}
        """For each new value, the original operand that it replaces."""
        self.columns: dict[SSAValue, list[SSAValue]] = {}
        """For the new argument of a merged block, the original operands that may be passed to it."""
        self._merging = merging
        self._values = values
        self._column_of: dict[SSAValue, SSAValue] = {}
        """For each block argument in the merged copy, the value that represents it in the function."""

    def all_of(self, op: Operation, written: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """Return all dependencies of `op` after block merging, given its original dependencies `written`."""
        if not self._merging.operands:
            return tuple(written)
        return tuple([self.of(op, number, operand) for number, operand in enumerate(written)])

    def of(self, op: Operation, number: int, operand: SSAValue) -> SSAValue:
        """Return the value that replaces `operand`, operand number `number` of `op`, after block merging."""
        becomes = self._merging.operands.get((op, number))
        if becomes is None or self._values.resolve(becomes) is (known := self._values.resolve(operand)):
            return operand
        is_argument = isinstance(becomes.owner, Block)
        if is_argument and not isinstance(known.owner, AsyncOpInterface):
            return operand
        stands_in = Block(arg_types=[operand.type]).args[0]
        self.written[stands_in] = operand
        if is_argument:
            column = self._column_of.setdefault(becomes, stands_in)
            self.columns.setdefault(column, []).append(operand)
            becomes = column
        if becomes is not stands_in:
            self._values.stand_for(stands_in, becomes)
        return stands_in
