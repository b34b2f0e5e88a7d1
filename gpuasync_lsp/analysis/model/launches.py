"""Launches in callees, told by what the callee is given, so that its callers know which parts they touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gpuasync_lsp.analysis.model.guards import Argument, Given
from gpuasync_lsp.analysis.model.memory.elements import Element
from gpuasync_lsp.analysis.model.memory.footprints import Running, launched
from gpuasync_lsp.analysis.model.memory.linear import Linear
from gpuasync_lsp.analysis.model.memory.parts import Part, parts
from gpuasync_lsp.analysis.model.memory.programs import Program
from gpuasync_lsp.analysis.model.memory.sums import Factor, Symbol


class Launch(NamedTuple):
    """What a launch says of its threads, and which elements of one memref these touch."""

    arguments: tuple[Given, ...]
    grid: tuple[Given, ...]
    block: tuple[Given, ...]
    elements: tuple[Element, ...] | None = None
    """None where they are not told."""
    program: Program | None = None
    argument: int = 0
    """Which argument of the kernel the memref is."""

    def when_called(self, given: Sequence[Given]) -> Launch:
        """Return the launch as a function tells it that calls with `given`."""

        def passed(known: tuple[Given, ...]) -> tuple[Given, ...]:
            return tuple(_passed(each, given) for each in known)

        return self._replace(
            arguments=passed(self.arguments), grid=passed(self.grid), block=passed(self.block)
        )

    def parts(self, argument: Callable[[int], Linear | None]) -> tuple[Part, ...] | None:
        """Return what is touched where `argument` says what the callee is given; None where not known."""

        def read(factor: Factor) -> Linear | None:
            if not isinstance(factor, Symbol):
                return None
            known = {"argument": self.arguments, "grid": self.grid, "block": self.block}[factor.kind]
            return _linear(known[factor.number], argument) if factor.number < len(known) else None

        return parts(self.elements, read) if self.elements is not None else None

    def running(self, argument: Callable[[int], Linear | None]) -> Running | None:
        """Return the kernel with its numbers, where `argument` says what the callee is given."""

        def number(known: Given) -> int | None:
            found = _linear(known, argument)
            return found.constant if found is not None and not found.terms else None

        numbers = [tuple(map(number, each)) for each in (self.grid, self.block, self.arguments)]
        return launched(self.program, *numbers) if self.program is not None else None


def _linear(known: Given, argument: Callable[[int], Linear | None]) -> Linear | None:
    if isinstance(known, int):
        return Linear(known)
    return argument(known.number) if isinstance(known, Argument) else None


def _passed(known: Given, given: Sequence[Given]) -> Given:
    if isinstance(known, Argument):
        return given[known.number] if known.number < len(given) else None
    return known if isinstance(known, int) else None
