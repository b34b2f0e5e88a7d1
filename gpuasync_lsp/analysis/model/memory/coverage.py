"""Decides whether an access is certain to read bytes that no earlier write may have written.

Bytes are compared as intervals, for buffers and launches of known size. Writes are over-approximated,
reads are under-approximated.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import reduce
from math import prod
from operator import itemgetter

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.function import Access, bits_of
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.memory.footprints import Footprint, Interval, joined
from gpuasync_lsp.analysis.model.memory.linear import Linear
from gpuasync_lsp.analysis.model.memory.parts import Part, regions_of
from gpuasync_lsp.analysis.model.memory.regions import Extent, Overlap, Region, compare, runs_of_bytes
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text.effort import spend

Bytes = list[Interval]
"""Disjoint intervals in ascending order, with gaps between them."""

MOST_WRITES = 2048
"""The maximum number of writes to one buffer that are compared by bytes, to bound the time."""

READING = (Mode.READ, Mode.ATOMIC)


def reads_something(access: Access) -> bool:
    """Return whether `access` is certain to read a byte that it has not written itself."""
    return access.mode in READING or (
        access.mode is Mode.BOTH and any(p.comes_first for p in access.parts or ())
    )


class Written:
    """The bytes that writes to each buffer may have written, cached between reads."""

    def __init__(self, writes: Sequence[Access]) -> None:
        self._writes = writes
        self._known: dict[Buffer, tuple[int, Bytes, tuple[Access, ...]]] = {}
        self._bytes: dict[int, tuple[Region, Bytes | None]] = {}
        """The bytes of each region, by the region's `id`: accesses of a whole memref share one region."""

    def reads_more(self, read: Access, place: Place, known: int) -> bool:
        """Return whether `read`, at `place`, reads bytes that no write in the mask `known` may have written.

        Returns False if that is unknown.
        """
        region = place.region
        left = self._surely_read(read, region) if 0 < known.bit_count() <= MOST_WRITES else None
        if left is None:
            return all(_is_elsewhere(self._writes[site], place) for site in bits_of(known))
        written, unknown = self._by(place.buffer, known, left)
        return bool(_without(left, written)) and all(_is_elsewhere(write, place) for write in unknown)

    def _by(self, buffer: Buffer, known: int, wanted: Bytes) -> tuple[Bytes, tuple[Access, ...]]:
        """Return the bytes of `buffer` that the writes in the mask `known` may write.

        Also returns the writes whose bytes are unknown. Stops early if the writes so far may have written all
        of `wanted`."""
        before, written, unknown = self._known.get(buffer, (0, [], ()))
        if before & ~known:
            before, written, unknown = 0, [], ()
        others = known & ~before
        for count, site in enumerate(bits_of(others)):
            if not count & (count - 1) and not _without(wanted, written):  # After 0, 1, 2, 4... writes.
                self._known[buffer] = before | others & ((1 << site) - 1), written, unknown
                return written, unknown
            spend()
            write = self._writes[site]
            found = self._maybe_written(write) if write.buffer is buffer else None
            if found is None:
                unknown = (*unknown, write)
            else:
                _add(found, written)
        self._known[buffer] = known, written, unknown
        return written, unknown

    def _surely_read(self, read: Access, region: Region) -> Bytes | None:
        return self._of(region) if read.op.name == "gpu.memcpy" else _surely_read(read, region)

    def _maybe_written(self, write: Access) -> Bytes | None:
        is_all = write.parts is None and write.threads is None and not write.region.symbols
        return self._of(write.region) if is_all else _maybe_written(write)

    def _of(self, region: Region) -> Bytes | None:
        known = self._bytes.get(id(region))
        if known is None:
            known = self._bytes[id(region)] = region, _bytes(region)
        return known[1]


def _is_elsewhere(write: Access, place: Place) -> bool:
    """Return whether `write` is certain not to overlap `place`."""
    spend()
    return (
        write.buffer is place.buffer
        and not write.symbols
        and compare(write.region, place.region, {}, {}) is Overlap.NONE
    )


def _surely_read(read: Access, region: Region) -> Bytes | None:
    found: list[Interval] = []
    for part in read.parts or ():
        wanted = part.mode in READING and (part.comes_first or read.mode is not Mode.BOTH)
        if wanted and part.is_exact and (there := _in_common(part, region)) is not None:
            found += there
    return list(joined(found)) if found else None


def footprint_of(access: Access, region: Region) -> Footprint | None:
    """Return the bytes that `access` may touch in a memref at `region`, over all iterations of its loops.

    Returns None if the bytes are unknown.
    """
    if access.threads is not None:
        known = access.threads.footprint
        if known is None or region.offset is None or region.offset.terms:
            return None
        return known.moved(region.offset.constant - access.threads.begins)
    found = _bytes(_over_all_iterations(region)) if not region.whole else None
    if found is None:
        return None
    runs, nothing = tuple(found), tuple[Interval, ...]()
    reads, writes = access.mode in (Mode.READ, Mode.BOTH, Mode.MAY), access.mode in (Mode.WRITE, Mode.BOTH)
    return Footprint(
        runs if reads else nothing,
        runs if writes else nothing,
        runs if access.mode is Mode.ATOMIC else nothing,
    )


def touch_other_bytes(a: Access, first: Region, b: Access, second: Region, *, atomics_agree: bool) -> bool:
    """Return whether two accesses, at least one by a kernel, share no byte that one of them writes."""
    if a.threads is None and b.threads is None:
        return False
    one = footprint_of(a, first)
    other = footprint_of(b, second) if one is not None else None
    return one is not None and other is not None and not one.meets(other, atomics_agree=atomics_agree)


def _in_common(part: Part, memref: Region) -> Bytes | None:
    """Return the bytes that a part is certain to access: the intersection of its alternative regions."""
    ways = [_bytes(way) for way in regions_of(part, memref)]
    known = [way for way in ways if way is not None]
    if not known or len(known) != prod(map(len, part.indices)):
        return None
    return reduce(lambda found, there: list(_overlaps(found, there)), known)


def _maybe_written(write: Access) -> Bytes | None:
    if write.threads is not None and (known := footprint_of(write, write.region)) is not None:
        return list(joined((*known.written, *known.updated)))
    if write.parts is None:
        return _bytes(_over_all_iterations(write.region))
    found: list[Interval] = []
    for part in write.all_parts:
        if part.mode is Mode.READ:
            continue
        ways = (_bytes(_over_all_iterations(way)) for way in regions_of(part, write.region))
        least = min((way for way in ways if way is not None), key=_count, default=None)
        if least is None:
            return None
        found += least
    return list(joined(found))


def _over_all_iterations(region: Region) -> Region:
    """Return the union of `region` over all iterations of the loops that its offset depends on.

    Returns `region` unchanged if the bounds of a loop are unknown.
    """
    offset = region.offset
    if offset is None or not offset.terms:
        return region
    start, extents = offset.constant, list(region.extents)
    for value, factor in offset.terms:
        counter = _counter(value)
        if counter is None:
            return region
        stride = abs(factor) * counter.step
        start += factor * (counter[0] if factor > 0 else counter[-1])
        extents.append(Extent(Linear(len(counter)), stride))
    return region._replace(offset=Linear(start), extents=tuple(extents))


def _counter(value: SSAValue) -> range | None:
    """Return the values of a loop's induction variable; None if unknown, or for any other value."""
    block = value.owner
    loop = block.parent_op() if isinstance(block, Block) and block.args[0] is value else None
    if loop is None or loop.name not in ("scf.for", "affine.for"):
        return None
    low, high, step = (
        (constant(operand) for operand in list(loop.operands)[:3])
        if loop.name == "scf.for"
        else _affine_bounds(loop)
    )
    if low is None or high is None or step is None or step <= 0 or high <= low:
        return None
    return range(low, high, step)


def _affine_bounds(loop: Operation) -> Iterator[int | None]:
    """Yield the lower bound, upper bound and step of an affine.for; None for each that is not constant."""
    for name in ("lowerBoundMap", "upperBoundMap"):
        kept = loop.properties.get(name)
        results = kept.data.results if isinstance(kept, AffineMapAttr) else ()
        (bound,) = results if len(results) == 1 else (None,)
        yield bound.value if isinstance(bound, AffineConstantExpr) else None
    step = loop.properties.get("step")
    yield step.value.data if isinstance(step, IntegerAttr) else None


def _bytes(region: Region) -> Bytes | None:
    runs = runs_of_bytes(region)
    if runs is None:
        return None
    starts, length = runs
    spend(len(starts) // 8)
    return list(joined((start, start + length) for start in starts))


def _add(these: Bytes, others: Bytes) -> None:
    """Add the intervals of `these` to `others` in place."""
    if these:
        near = _near(others, these[0][0], these[-1][1])
        others[near] = joined((*others[near], *these))


def _near(these: Bytes, low: int, high: int) -> slice:
    """Return the slice of `these` that overlaps or touches [`low`, `high`)."""
    return slice(bisect_left(these, low, key=itemgetter(1)), bisect_right(these, high, key=itemgetter(0)))


def _without(these: Bytes, others: Bytes) -> Bytes:
    if not these:
        return []
    low, high = these[0][0], these[-1][1]
    edges = [low, *(edge for other in others[_near(others, low, high)] for edge in other), high]
    gaps = [(low, high) for low, high in _pairs(edges) if low < high]
    return list(_overlaps(these, gaps))


def _pairs(edges: list[int]) -> Iterator[Interval]:
    yield from zip(edges[::2], edges[1::2], strict=True)


def _overlaps(these: Bytes, others: Bytes) -> Iterator[Interval]:
    i = j = 0
    while i < len(these) and j < len(others):
        low, high = max(these[i][0], others[j][0]), min(these[i][1], others[j][1])
        if low < high:
            yield low, high
        if these[i][1] <= others[j][1]:
            i += 1
        else:
            j += 1


def _count(these: Bytes) -> int:
    return sum(end - start for start, end in these)
