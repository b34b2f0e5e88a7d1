"""Footprints: the bytes of a launch argument that its threads may read, write or update."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

Interval = tuple[int, int]
Bytes = tuple[Interval, ...]
"""Disjoint intervals in ascending order, with gaps between them."""


class Footprint(NamedTuple):
    """The bytes that may be accessed, counted from the first element of an argument."""

    read: Bytes = ()
    written: Bytes = ()
    updated: Bytes = ()
    """Bytes that atomic ops may change."""

    @property
    def bounds(self) -> Interval | None:
        """The start of the first accessed byte and the end of the last one; None if no byte is accessed."""
        runs = [run for kind in self for run in (kind[:1] + kind[-1:])]
        return (min(low for low, _ in runs), max(high for _, high in runs)) if runs else None

    def moved(self, by: int) -> Footprint:
        """Return the footprint shifted by `by` bytes."""
        if not by:
            return self
        return Footprint(*(tuple((low + by, high + by) for low, high in kind) for kind in self))

    def meets(self, other: Footprint, *, atomics_agree: bool) -> bool:
        """Return whether the footprints share a byte that one of them writes."""
        pairs = [
            (self.written, (*other.read, *other.written, *other.updated)),
            (other.written, (*self.read, *self.updated)),
            (self.updated, other.read if atomics_agree else (*other.read, *other.updated)),
            (other.updated, self.read),
        ]
        return any(_meet(ones, joined(others)) for ones, others in pairs if ones and others)


def _meet(ones: Bytes, others: Bytes) -> bool:
    i = j = 0
    while i < len(ones) and j < len(others):
        if ones[i][1] <= others[j][0]:
            i += 1
        elif others[j][1] <= ones[i][0]:
            j += 1
        else:
            return True
    return False


def joined(found: Iterable[Interval]) -> Bytes:
    """Return the intervals sorted, with those merged that touch or overlap."""
    runs: list[Interval] = []
    for low, high in sorted(found):
        if runs and low <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(high, runs[-1][1]))
        else:
            runs.append((low, high))
    return tuple(runs)
