"""The parts of a buffer that a launch's threads access, and whether the parts of two launches overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from xdsl.ir import SSAValue

from gpuasync_lsp.analysis.model.memory.elements import Element, Index
from gpuasync_lsp.analysis.model.memory.linear import ZERO, Linear
from gpuasync_lsp.analysis.model.memory.regions import Extent, Overlap, Region, compare
from gpuasync_lsp.analysis.model.memory.sums import UNKNOWN, Factor, Polynomial
from gpuasync_lsp.syntax.effects import Mode

_WAYS = 8
"""The maximum number of alternative regions that describe one part."""

Reads = Callable[[Factor], Linear | None]
"""A function that maps a symbol in a kernel to its value at the launch."""
Moves = Callable[[Region], Region]


class Part(NamedTuple):
    """The elements that all threads together touch at one access of a kernel."""

    mode: Mode
    indices: tuple[tuple[Region, ...], ...]
    """Per dimension of the memref, alternative supersets of the accessed index values, in elements."""
    is_exact: bool = False
    """Whether every element in the intersection of the alternatives is touched."""
    comes_first: bool = False
    """Whether no thread that makes this access has written to the memref before."""

    @property
    def symbols(self) -> Iterator[SSAValue]:
        """The SSA values that the part depends on."""
        for ways in self.indices:
            for region in ways:
                yield from region.symbols


ADDED_TO = Part(Mode.BOTH, (), comes_first=True)
"""The part for an op that accumulates into a whole memref."""


def parts(elements: Iterable[Element], reads: Reads) -> tuple[Part, ...] | None:
    """Return the parts that a kernel accesses, in terms of the values at its launch; None if unknown."""
    found: list[Part] = []
    for element in elements:
        indices = [tuple(_ways(index, reads)) for index in element.indices]
        if not all(indices):
            return None
        known = all(len(ways) == len(other) for ways, other in zip(indices, element.indices, strict=True))
        found.append(Part(element.mode, tuple(indices), element.is_exact and known, element.comes_first))
    return tuple(found)


def have_nothing_in_common(
    ones: Sequence[Part],
    one: Region,
    others: Sequence[Part],
    other: Region,
    before: Moves,
    *,
    atomics_agree: bool,
) -> bool:
    """Return whether no access in `ones` conflicts with an access in `others`.

    `one` and `other` are the regions of the accessed memrefs. `before` maps a region that `ones` access to
    its position when the access happened. If `atomics_agree`, atomic updates by both kernels do not conflict.
    """
    harmless = (Mode.READ, Mode.ATOMIC) if atomics_agree else (Mode.READ,)
    return all(
        _is_apart(first, one, second, other, before)
        for first in ones
        for second in others
        if not (first.mode is second.mode and first.mode in harmless)
    )


def _is_apart(first: Part, one: Region, second: Part, other: Region, before: Moves) -> bool:
    if before(one) == other and len(first.indices) == len(second.indices):
        for ways in zip(first.indices, second.indices, strict=True):
            if any(compare(before(a), b, {}, {}) is Overlap.NONE for a, b in product(*ways)):
                return True
    theirs = list(regions_of(second, other))
    return any(compare(before(a), b, {}, {}) is Overlap.NONE for a in regions_of(first, one) for b in theirs)


def unmoved(region: Region) -> Region:
    """Return `region` unchanged, for accesses of the same iteration."""
    return region


def whole_part(mode: Mode) -> Part:
    """Return the part for an access to unknown elements: the whole memref."""
    return Part(mode, ())


def regions_of(part: Part, memref: Region) -> Iterator[Region]:
    """Yield alternative supersets of the bytes that a part accesses in a memref."""
    if not part.indices:
        yield memref
        return
    if memref.offset is None or memref.width is None or len(memref.extents) != len(part.indices):
        return
    for number, ways in enumerate(product(*part.indices)):
        if number == _WAYS:
            return
        offset, steps = memref.offset, list[Extent]()
        for index, (_, stride, *_) in zip(ways, memref.extents, strict=True):
            if stride is None or index.offset is None:
                if index != _FIRST:
                    return
                continue
            offset = offset.plus(index.offset.times(stride))
            steps += [Extent(n, step * stride) for n, step, *_ in index.extents if step is not None]
        yield Region(offset, _joined(steps), memref.width, base=memref.base)


_FIRST = Region(ZERO)
"""The region of the index 0."""


def _joined(steps: list[Extent]) -> tuple[Extent, ...]:
    """Sort extents by stride, and merge those that are equal or contiguous."""
    found: list[Extent] = []
    for step in sorted(steps, key=lambda step: step.stride or 0):
        joined = _one_behind_another(found[-1], step) if found else None
        if joined is not None:
            found[-1] = joined
        else:
            found.append(step)
    return tuple(reversed(found))


def _one_behind_another(inner: Extent, outer: Extent) -> Extent | None:
    if inner.size is None or inner.stride is None or outer.size is None:
        return None
    if outer.stride == inner.stride:
        return Extent(inner.size.plus(outer.size).plus(Linear(-1)), inner.stride)
    if inner.size.terms:
        return None
    if outer.stride != inner.size.constant * inner.stride:
        return None
    return Extent(outer.size.times(inner.size.constant), inner.stride)


def _ways(index: tuple[Index, ...], reads: Reads) -> Iterator[Region]:
    for each in index:
        first = _number(each.first, reads)
        steps: list[Extent] = []
        for count, times in each.steps:
            size, factor = _number(count, reads), _number(times, reads)
            if first is None or size is None or factor is None or factor.terms:
                break
            stride = factor.constant
            if stride < 0:
                first = first.plus(size.plus(Linear(-1)).times(stride))
            if stride and size != Linear(1):
                steps.append(Extent(size, abs(stride)))
        else:
            if first is not None:
                yield Region(first, _joined(steps))


def _number(total: Polynomial, reads: Reads) -> Linear | None:
    """Return the value of a polynomial at the launch; None if it is unknown or not linear."""
    found = ZERO
    for factors, times in total.terms:
        known = Linear(times)
        for factor in factors:
            value = reads(factor) if factor != UNKNOWN else None
            if value is None or (known.terms and value.terms):
                return None
            known = known.times(value.constant) if not value.terms else value.times(known.constant)
        found = found.plus(known)
    return found
