"""Whether an access surely reads some bytes that no write before it may have written.

Bytes are compared as intervals, of buffers and launches whose sizes are known. What is written is taken for
as much as it can be, what is read for as little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from math import prod

from xdsl.ir import Block, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.function import Access
from gpuasync_lsp.analysis.model.memory.buffers import Place
from gpuasync_lsp.analysis.model.memory.linear import Linear
from gpuasync_lsp.analysis.model.memory.parts import Part, regions_of
from gpuasync_lsp.analysis.model.memory.regions import Extent, Overlap, Region, compare, runs_of_bytes
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.text.effort import spend

Interval = tuple[int, int]
"""Where it begins, and where it has ended."""
Bytes = list[Interval]
"""In order, none touching the next."""

MOST_WRITES = 64
"""Writes of one buffer of which the bytes are compared: with more, it would take long."""

READING = (Mode.READ, Mode.ATOMIC)


def reads_something(access: Access) -> bool:
    """Tell whether `access` surely reads what it has not written itself."""
    return access.mode in READING or (
        access.mode is Mode.BOTH and any(p.comes_first for p in access.parts or ())
    )


def reads_more(read: Access, place: Place, writes: Iterable[Access], count: int) -> bool:
    """Tell whether `read`, of a memref at `place`, reads bytes that none of `writes` may have written.

    False where that is not known. `count` is how many writes there are.
    """
    region = place.region
    left = _surely_read(read, region) if 0 < count <= MOST_WRITES else None
    for write in writes:
        spend()
        if write.buffer is not place.buffer:
            return False
        if not write.symbols and compare(write.region, region, {}, {}) is Overlap.NONE:
            continue
        written = _maybe_written(write) if left is not None else None
        if left is None or written is None:
            return False
        left = _without(left, written)
        if not left:
            return False
    return True


def _surely_read(read: Access, region: Region) -> Bytes | None:
    if read.op.name == "gpu.memcpy":
        return _bytes(region)
    found: list[Interval] = []
    for part in read.parts or ():
        wanted = part.mode in READING and (part.comes_first or read.mode is not Mode.BOTH)
        if wanted and part.is_exact and (there := _in_common(part, region)) is not None:
            found += there
    return _joined(found) if found else None


def _in_common(part: Part, memref: Region) -> Bytes | None:
    """Return what a part surely touches: what all ways of telling it have in common."""
    ways = [_bytes(way) for way in regions_of(part, memref)]
    known = [way for way in ways if way is not None]
    if not known or len(known) != prod(map(len, part.indices)):
        return None
    return reduce(lambda found, there: list(_overlaps(found, there)), known)


def _maybe_written(write: Access) -> Bytes | None:
    if write.parts is None:
        return _bytes(_in_all_rounds(write.region))
    found: list[Interval] = []
    for part in write.all_parts:
        if part.mode is Mode.READ:
            continue
        ways = (_bytes(_in_all_rounds(way)) for way in regions_of(part, write.region))
        least = min((way for way in ways if way is not None), key=_count, default=None)
        if least is None:
            return None
        found += least
    return _joined(found)


def _in_all_rounds(region: Region) -> Region:
    """Return what `region` is in all rounds of the loops whose counters it depends on.

    As it is where these are not known.
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
    """Return the values of a loop counter; None where they are not known, or it has none."""
    block = value.owner
    loop = block.parent_op() if isinstance(block, Block) and block.args[0] is value else None
    if loop is None or loop.name != "scf.for":
        return None
    low, high, step = (constant(operand) for operand in list(loop.operands)[:3])
    if low is None or high is None or step is None or step <= 0 or high <= low:
        return None
    return range(low, high, step)


def _bytes(region: Region) -> Bytes | None:
    runs = runs_of_bytes(region)
    if runs is None:
        return None
    starts, length = runs
    spend(len(starts) // 8)
    return _joined((start, start + length) for start in starts)


def _joined(found: Iterable[Interval]) -> Bytes:
    joined: Bytes = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _without(these: Bytes, others: Bytes) -> Bytes:
    if not these:
        return []
    edges = [these[0][0], *(edge for other in others for edge in other), these[-1][1]]
    gaps = [(low, high) for low, high in _pairs(edges) if low < high]
    return list(_overlaps(these, gaps))


def _pairs(edges: list[int]) -> Iterator[Interval]:
    """Yield what lies between intervals whose edges follow on one another."""
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
