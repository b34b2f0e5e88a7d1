"""Regions of a buffer, and whether two of them overlap.

A region is an offset in bytes from the buffer's pointer, with extents: sizes and strides. Offsets are linear
expressions (`linear.py`), so that regions at `%i` and at `%i + 8` can be compared. None means unknown. The
result of a comparison may be unknown, too, if neither an overlap nor disjointness is certain.
"""

from __future__ import annotations

from enum import Enum
from math import gcd
from typing import NamedTuple

from xdsl.ir import SSAValue

from gpuasync_lsp.analysis.model.memory.linear import ZERO, Linear
from gpuasync_lsp.analysis.model.memory.remainders import Rows, least_distance, never_meet, without_equal

_FEW = 2048
"""The maximum number of contiguous runs of bytes that are compared one by one."""


class Overlap(Enum):
    """The relation of two regions of one buffer."""

    NONE = "nothing in common"
    SURE = "something in common"
    UNKNOWN = "not known"


class Extent(NamedTuple):
    """One dimension of a region: its size, and its stride in bytes; None if unknown."""

    size: Linear | None
    stride: int | None
    pitch: Linear | None = None
    """The stride if it is dynamic."""
    span: Linear | None = None
    """With a dynamic stride, the number of bytes from the first element to the end of the last one."""


class Region(NamedTuple):
    """A part of a buffer."""

    offset: Linear | None
    """Offset of the first element in bytes; None if unknown."""
    extents: tuple[Extent, ...] = ()
    width: int | None = 1
    """The size of an element in bytes; None if the number of elements or their size is unknown."""
    whole: bool = False
    """Whether the region is the whole buffer."""
    base: Linear = ZERO
    """Position of the memref descriptor's pointer, from which views count absolute offsets."""

    @property
    def symbols(self) -> tuple[SSAValue, ...]:
        """The SSA values that the region depends on."""
        found: list[SSAValue] = []
        if self.offset is not None and self.offset.terms:
            found += [value for value, _ in self.offset.terms]
        for size, *_ in self.extents:
            if size is not None and size.terms:
                found += [value for value, _ in size.terms]
        return tuple(dict.fromkeys(found)) if found else ()

    @property
    def rows(self) -> Rows | None:
        """The minimum length of a row, and the distances between rows, in bytes; None if unknown."""
        width, strides = self.width, list[int]()
        if width is None:
            return None
        for size, stride, *_ in reversed(self.extents):
            if stride is None:
                return None
            if stride == width and not strides and size is not None and not size.terms:
                width *= size.constant
            else:
                strides.append(stride)
        return Rows(width, strides)

    def blurred(self) -> Region:
        """Return an unknown part of the same buffer, or this region if it is the whole buffer."""
        return self if self.whole else UNKNOWN_PART


UNKNOWN_PART = Region(None, (), None)


def between(region: Region, low: int, high: int) -> Region:
    """Return the bytes [`low`, `high`) of `region`, counted from its offset."""
    offset = region.offset.plus(Linear(low)) if region.offset is not None else None
    return Region(offset, (Extent(Linear(high - low), 1),), 1, base=region.base)


class Run(NamedTuple):
    """The values of a loop counter: the first value, the step, and the number of values."""

    first: int
    step: int
    rounds: int


def compare(a: Region, b: Region, runs_a: dict[SSAValue, Run], runs_b: dict[SSAValue, Run]) -> Overlap:
    """Return how two regions of one buffer overlap.

    `runs_a` and `runs_b` contain the known values of induction variables. The access happens for each value,
    so regions that overlap in some iteration overlap.
    """
    if a.whole or b.whole:
        return Overlap.SURE
    if a.offset is None or b.offset is None:
        return Overlap.UNKNOWN
    apart = b.offset.minus(a.offset)
    if len(apart.terms) > 1:
        apart = without_equal(apart)
    if apart == ZERO:
        return Overlap.SURE
    one, other = _constant(a), _constant(b)
    distance = least_distance(apart) if apart.terms and one is not None and other is not None else None
    if one is not None and other is not None and distance and max(_end(one), _end(other)) <= distance:
        return Overlap.NONE
    if apart.terms or one is None or other is None:
        rows, others = a.rows, b.rows
        if rows is not None and others is not None and never_meet(rows, others, apart):
            return Overlap.NONE
    if apart.terms and (by_rows := _by_rows(a, b, apart)) is not Overlap.UNKNOWN:
        return by_rows
    if apart.terms:
        if one is None or other is None or any(e.size is None for e in (*a.extents, *b.extents)):
            return _in_a_row(a, b, apart)
        spread = _spread(apart, one, other, runs_a, runs_b)
        if spread is None:
            return _in_a_row(a, b, apart)
        start, one, other = spread
        return _meet(0, one, start, other)
    if one is None or other is None:
        first, behind = (a, apart) if apart.constant > 0 else (b, apart.times(-1))
        return Overlap.SURE if _is_in_first_row(first, behind.constant) else _in_a_row(a, b, apart)
    # Tiles of one matrix are compared by dimension, so count both from the beginning of the matrix.
    lead = min(a.offset.constant, b.offset.constant, 0) if not a.offset.terms else a.offset.constant
    return _meet(a.offset.constant - lead, one, b.offset.constant - lead, other)


Dims = list[tuple[int, int]]
"""Pairs of (size, stride), without unit dimensions; the bytes of an element are the innermost dimension."""


def _constant(region: Region) -> Dims | None:
    if region.width is None:
        return None
    dims: Dims = []
    for count, stride, *_ in region.extents:
        if count is None or count.terms or stride is None or stride < 0 or count.constant < 1:
            return None
        if count.constant > 1 and stride:
            dims.append((count.constant, stride))
    return _merged([*dims, (region.width, 1)])


def _merged(dims: Dims) -> Dims:
    """Merge contiguous dimensions."""
    found: Dims = []
    for count, stride in sorted(dims, key=lambda d: -d[1]):
        if found and found[-1][1] == count * stride:
            found[-1] = (found[-1][0] * count, stride)
        else:
            found.append((count, stride))
    return found


def _spread(
    apart: Linear, one: Dims, other: Dims, runs_a: dict[SSAValue, Run], runs_b: dict[SSAValue, Run]
) -> tuple[int, Dims, Dims] | None:
    """Replace induction variables in the distance `apart` with dimensions: the union over all iterations."""
    start, more_one, more_other = apart.constant, list(one), list(other)
    for value, factor in apart.terms:
        run = runs_b.get(value) if factor > 0 else runs_a.get(value)
        if run is None or run.rounds < 1 or run.step < 1:
            return None
        stride = abs(factor) * run.step
        start += factor * run.first
        (more_other if factor > 0 else more_one).append((run.rounds, stride))
    if start < 0:
        start = -start
        return start, _merged(more_other), _merged(more_one)
    return start, _merged(more_one), _merged(more_other)


def _is_in_first_row(region: Region, at: int) -> bool:
    """Return whether an element of the innermost dimension begins `at` bytes after the first element."""
    if region.width is None or not region.extents:
        return False
    count, stride, *_ = region.extents[-1]
    if count is None or count.terms or stride != region.width:
        return False
    return at % region.width == 0 and at < count.constant * region.width


def _by_rows(a: Region, b: Region, apart: Linear) -> Overlap:
    """Compare regions that are a whole number of rows apart; the rows have a dynamic length.

    Assumes positive sizes, non-negative offsets, and rows inside those of the memref, which subviews require.
    """
    for first, distance in ((a, apart), (b, apart.times(-1))):
        for size, _, pitch, span in first.extents:
            if pitch is None or span is None:
                continue
            behind = _multiple(distance.minus(span), pitch)
            if behind is None:
                continue
            if behind >= 0:
                return Overlap.NONE
            # `b` begins `-behind` rows before the end of `a`, in the same column.
            least = size.constant if size is not None and not size.terms else 1
            if -behind <= least or first.offset == first.base:
                return Overlap.SURE
    return Overlap.UNKNOWN


def _multiple(total: Linear, of: Linear) -> int | None:
    """Return the quotient of `total` and the non-constant `of`; None if it is not a constant."""
    value, factor = of.terms[0]
    times, rest = divmod(dict(total.terms).get(value, 0), factor)
    return times if not rest and total == of.times(times) else None


def _dense_rows(extents: list[Extent]) -> tuple[list[Extent], int]:
    """Merge contiguous rows of known length; also return the minimum number of elements in the last row."""
    found: list[Extent] = []
    least = 1
    for outer in reversed(extents):
        inner = found[-1] if found else None
        if (
            inner is None
            or inner.size is None
            or inner.size.terms
            or inner.stride is None
            or outer.size is None
            or outer.stride != inner.size.constant * inner.stride
        ):
            found.append(outer)
            continue
        least = inner.size.constant
        found[-1] = Extent(outer.size.times(least), inner.stride)
    return found, least


def _in_a_row(a: Region, b: Region, apart: Linear) -> Overlap:
    """Compare regions of dynamic size in one dimension or in rows: [0, %n) and [%n, ...), or [%n - 1, ...).

    Assumes positive sizes, because something is accessed, and non-negative offsets, which subviews require.
    """
    for first, second, distance in ((a, b, apart), (b, a, apart.times(-1))):
        if first.width is None:
            continue
        rows, least = _dense_rows([e for e in first.extents if e.size is None or e.size != Linear(1)])
        if len(rows) > 1 or any(e.size is None or e.stride is None or e.stride < 0 for e in rows):
            continue
        end = Linear(first.width)
        if rows:
            count, stride, *_ = rows[0]
            assert count is not None
            assert stride is not None
            end = count.times(stride) if stride >= first.width else end
        left = distance.minus(end)
        if left.terms:
            continue
        if left.constant >= 0:
            return Overlap.NONE
        is_dense = not rows or rows[0].stride == first.width
        is_behind = first.offset == first.base or -left.constant <= least * first.width
        if is_dense and is_behind and second.width == first.width and left.constant % first.width == 0:
            return Overlap.SURE
    return Overlap.UNKNOWN


def _end(dims: Dims) -> int:
    return sum((count - 1) * stride for count, stride in dims) + 1


def _meet(a: int, one: Dims, b: int, other: Dims) -> Overlap:
    """Compare two sets of bytes, which start at `a` and `b` and have the dimensions `one` and `other`."""
    if a + _end(one) <= b or b + _end(other) <= a:
        return Overlap.NONE
    if len(one) == 1 == len(other) and one[0][1] == 1 == other[0][1]:
        return Overlap.SURE
    runs = [dims[-1][0] if dims[-1][1] == 1 else 1 for dims in (one, other)]
    step = gcd(*(stride for _, stride in (*one, *other) if stride != 1))
    if step > 1:
        behind = (b - a) % step
        if runs[0] <= behind and behind + runs[1] <= step:
            return Overlap.NONE
    axes = _by_axis(a, one, b, other)
    if axes is not Overlap.UNKNOWN:
        return axes
    starts = [_starts(at, dims) for at, dims in ((a, one), (b, other))]
    if starts[0] is None or starts[1] is None:
        return Overlap.UNKNOWN
    return _any_in_common(starts[0], runs[0], starts[1], runs[1])


def _by_axis(a: int, one: Dims, b: int, other: Dims) -> Overlap:
    """Compare tiles of one matrix by dimension, if neither wraps around the end of a row."""
    strides = sorted({stride for _, stride in (*one, *other)}, reverse=True)
    places: list[list[tuple[int, int]]] = []
    for at, dims in ((a, one), (b, other)):
        counts = {stride: count for count, stride in dims}
        if len(counts) != len(dims):
            return Overlap.UNKNOWN
        row: list[tuple[int, int]] = []
        left = at
        room = None
        for stride in strides:
            index, left = divmod(left, stride)
            row.append((index, index + counts.get(stride, 1)))
            if room is not None and row[-1][1] * stride > room:
                return Overlap.UNKNOWN
            room = stride
        places.append(row)
    apart = any(x[1] <= y[0] or y[1] <= x[0] for x, y in zip(*places, strict=True))
    return Overlap.NONE if apart else Overlap.SURE


def _starts(at: int, dims: Dims) -> list[int] | None:
    """Return the starts of the runs of bytes in ascending order; None if there are too many."""
    found = [at]
    for count, stride in dims:
        if stride == 1:
            continue
        if len(found) * count > _FEW:
            return None
        found = [place + number * stride for place in found for number in range(count)]
    return sorted(found)


def runs_of_bytes(region: Region) -> tuple[list[int], int] | None:
    """Return the starts of a region's contiguous runs in ascending order, and their length, in bytes.

    Returns None if the runs are unknown or too many. Runs may overlap if dimensions overlap.
    """
    dims = _constant(region)
    if dims is None or region.offset is None or region.offset.terms:
        return None
    starts = _starts(region.offset.constant, dims)
    return (starts, dims[-1][0] if dims[-1][1] == 1 else 1) if starts is not None else None


def _any_in_common(a: list[int], run_a: int, b: list[int], run_b: int) -> Overlap:
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] + run_a <= b[j]:
            i += 1
        elif b[j] + run_b <= a[i]:
            j += 1
        else:
            return Overlap.SURE
    return Overlap.NONE
