"""Returned views of a function's arguments, in terms of the arguments; callers substitute their operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import BlockArgument, Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.linear import Linear
from gpuasync_lsp.analysis.model.memory.places import Places
from gpuasync_lsp.analysis.model.memory.regions import Extent, Region


class Sum(NamedTuple):
    """A constant plus multiples of arguments, as (argument number, factor)."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()


class View(NamedTuple):
    """A part of an argument, as a `Region` with argument numbers in place of values."""

    offset: Sum
    extents: tuple[tuple[Sum | None, int | None], ...]
    width: int | None
    base: Sum

    @property
    def arguments(self) -> frozenset[int]:
        """Numbers of the arguments that the view depends on."""
        sums = (self.offset, self.base, *(size for size, _ in self.extents if size is not None))
        return frozenset(number for each in sums for number, _ in each.terms)


def view_in_arguments(function: Operation, values: Sequence[SSAValue]) -> View | None:
    """Return the part of an argument that all of `values` refer to.

    Returns None if the parts differ or depend on anything but the arguments of `function`."""
    places = Places(function, lambda op, number: None, lambda op, number: (), lambda op, number: False)
    found: set[View | None] = set()
    for value in values:
        place = places.place(value)
        found.add(None if place is None or place.buffer.is_name else _view_of(place.region, function))
    return found.pop() if len(found) == 1 else None


def _view_of(region: Region, function: Operation) -> View | None:
    entry = function.regions[0].blocks[0]
    if region.whole or region.offset is None:
        return None
    for value in (*region.symbols, *(value for value, _ in region.base.terms)):
        if not isinstance(value, BlockArgument) or value.owner is not entry:
            return None

    def sum_(of: Linear) -> Sum:
        numbers = [(v.index, f) for v, f in of.terms if isinstance(v, BlockArgument)]
        return Sum(of.constant, tuple(sorted(numbers)))

    extents = tuple((sum_(size) if size is not None else None, stride) for size, stride, *_ in region.extents)
    return View(sum_(region.offset), extents, region.width, sum_(region.base))


def region_of(view: View, given: Callable[[int], Linear]) -> Region:
    """Return the region of `view` with `given` substituted for the arguments."""

    def filled(of: Sum) -> Linear:
        found = Linear(of.constant)
        for number, factor in of.terms:
            found = found.plus(given(number).times(factor))
        return found

    extents = tuple(Extent(filled(size) if size is not None else None, step) for size, step in view.extents)
    return Region(filled(view.offset), extents, view.width, base=filled(view.base))
