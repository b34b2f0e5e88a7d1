"""One operation of a run's timeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_AFTER = 32
"""The maximum number of predecessors listed for an operation; a join of a thousand streams exceeds it."""


@dataclass(eq=False)
class Timed:
    """An operation; times in seconds of `time.perf_counter`."""

    label: str
    lane: str
    start: float
    duration: float
    site: int
    bytes: int = 0
    after: tuple[Timed, ...] = ()
    """Direct predecessors in streams and through events; for a host wait, the awaited operations."""


def joined(*ends: Iterable[Timed]) -> tuple[Timed, ...]:
    """Merge lists of predecessors, without duplicates, and cut the result to `MOST_AFTER`."""
    return tuple(dict.fromkeys(one for end in ends for one in end))[:MOST_AFTER]
