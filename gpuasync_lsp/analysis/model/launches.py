"""Launches in callees, in terms of the callee's arguments, from which callers compute the accessed parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.guards import Argument, Given
from gpuasync_lsp.analysis.model.memory.elements import Element
from gpuasync_lsp.analysis.model.memory.launched import Running, launched
from gpuasync_lsp.analysis.model.memory.linear import Linear
from gpuasync_lsp.analysis.model.memory.numbers import INTEGERS, computed
from gpuasync_lsp.analysis.model.memory.parts import Part, parts
from gpuasync_lsp.analysis.model.memory.programs import Program
from gpuasync_lsp.analysis.model.memory.sums import Factor, Symbol


class Formula(NamedTuple):
    """An integer computed from two others."""

    name: str
    """The operation, by its name in `numbers.py`."""
    one: Given | Formula
    other: Given | Formula


Number = Given | Formula
_DEPTH = 8


def number_of(value: SSAValue, given: Callable[[SSAValue], Given], depth: int = 0) -> Number:
    """Return the integer `value` in terms of its function's arguments; `given` resolves other values."""
    known, owner = given(value), value.owner
    if known is not None or not isinstance(owner, Operation) or depth == _DEPTH:
        return known
    if owner.name in ("arith.index_cast", "index.casts"):
        return number_of(owner.operands[0], given, depth + 1)
    name = INTEGERS.get(owner.name)
    if name is None or owner.results[0].type != IndexType():
        return None
    one, other = (number_of(operand, given, depth + 1) for operand in owner.operands)
    return Formula(name, one, other) if one is not None and other is not None else None


class Launch(NamedTuple):
    """A launch in terms of the function's arguments, and the accesses of its threads to one memref."""

    arguments: tuple[Number, ...]
    grid: tuple[Number, ...]
    block: tuple[Number, ...]
    elements: tuple[Element, ...] | None = None
    """The elements that the threads access; None if unknown."""
    program: Program | None = None
    argument: int = 0
    """Number of the kernel argument that is the memref."""

    def when_called(self, given: Sequence[Given]) -> Launch:
        """Return the launch in terms of the arguments of a caller; `given` are the operands of the call."""

        def passed(known: tuple[Number, ...]) -> tuple[Number, ...]:
            return tuple(_passed(each, given) for each in known)

        return self._replace(
            arguments=passed(self.arguments), grid=passed(self.grid), block=passed(self.block)
        )

    def parts(self, argument: Callable[[int], Linear | None]) -> tuple[Part, ...] | None:
        """Return the parts of the memref that the launch accesses; None if unknown.

        `argument` maps the number of a function argument to the argument's value."""

        def read(factor: Factor) -> Linear | None:
            if not isinstance(factor, Symbol):
                return None
            known = {"argument": self.arguments, "grid": self.grid, "block": self.block}[factor.kind]
            return _linear(known[factor.number], argument) if factor.number < len(known) else None

        return parts(self.elements, read) if self.elements is not None else None

    def running(self, argument: Callable[[int], Linear | None]) -> Running | None:
        """Return the kernel with constant sizes and arguments, ready to run; None if unknown.

        `argument` maps the number of a function argument to the argument's value."""

        def number(known: Number) -> int | None:
            found = _linear(known, argument)
            return found.constant if found is not None and not found.terms else None

        numbers = [tuple(map(number, each)) for each in (self.grid, self.block, self.arguments)]
        return launched(self.program, *numbers) if self.program is not None else None


def _linear(known: Number, argument: Callable[[int], Linear | None]) -> Linear | None:
    if isinstance(known, int):
        return Linear(known)
    if isinstance(known, Formula):
        one, other = (_linear(each, argument) for each in (known.one, known.other))
        if one is None or other is None or one.terms or other.terms:
            return None
        found = computed(known.name, [one.constant, other.constant], 64)
        return Linear(found) if isinstance(found, int) else None
    return argument(known.number) if isinstance(known, Argument) else None


def _passed(known: Number, given: Sequence[Given]) -> Number:
    if isinstance(known, Formula):
        one, other = (_passed(each, given) for each in (known.one, known.other))
        return Formula(known.name, one, other) if one is not None and other is not None else None
    if isinstance(known, Argument):
        return given[known.number] if known.number < len(given) else None
    return known if isinstance(known, int) else None
