"""Launches in callees, told by what the callee is given, so that its callers know which parts they touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gpuasync_lsp.analysis.model.guards import Argument, Given
from gpuasync_lsp.analysis.model.memory.elements import Element
from gpuasync_lsp.analysis.model.memory.linear import Linear
from gpuasync_lsp.analysis.model.memory.parts import Part, parts
from gpuasync_lsp.analysis.model.memory.sums import Factor, Symbol


class Launch(NamedTuple):
    """What a launch says of its threads, and which elements of one memref these touch."""

    arguments: tuple[Given, ...]
    grid: tuple[Given, ...]
    block: tuple[Given, ...]
    elements: tuple[Element, ...] = ()

    def when_called(self, given: Sequence[Given]) -> Launch:
        """Return the launch as a function tells it that calls with `given`."""

        def passed(known: tuple[Given, ...]) -> tuple[Given, ...]:
            return tuple(_passed(each, given) for each in known)

        return Launch(passed(self.arguments), passed(self.grid), passed(self.block), self.elements)

    def parts(self, argument: Callable[[int], Linear | None]) -> tuple[Part, ...] | None:
        """Return what is touched where `argument` says what the callee is given; None where not known."""

        def read(factor: Factor) -> Linear | None:
            if not isinstance(factor, Symbol):
                return None
            known = {"argument": self.arguments, "grid": self.grid, "block": self.block}[factor.kind]
            number = known[factor.number] if factor.number < len(known) else None
            if isinstance(number, int):
                return Linear(number)
            return argument(number.number) if isinstance(number, Argument) else None

        return parts(self.elements, read)


def _passed(known: Given, given: Sequence[Given]) -> Given:
    if isinstance(known, Argument):
        return given[known.number] if known.number < len(given) else None
    return known if isinstance(known, int) else None
