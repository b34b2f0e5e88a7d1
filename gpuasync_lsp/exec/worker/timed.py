"""One operation of a run's timeline."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Timed:
    """An operation; times in seconds of `time.perf_counter`."""

    label: str
    lane: str
    start: float
    duration: float
    site: int
    bytes: int = 0
