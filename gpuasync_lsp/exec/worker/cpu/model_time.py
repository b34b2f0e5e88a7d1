"""Models a timeline in which streams and host are concurrent, although one thread executes everything.

An operation takes the time that its execution took. It begins when the host has enqueued it, its stream is
free, and the stream's waits have ended; meanwhile the host waits for it, or continues.
"""

from __future__ import annotations

import time


class ModelClock:
    """The host's time in the model: excludes the time spent on stream work, includes the host's waits for it.

    In seconds; equal to `time.perf_counter` until the first operation runs."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Return the host's time in the model."""
        return time.perf_counter() - self._ahead

    def leave_out(self, seconds: float) -> None:
        """Subtract the time that the host's thread spent on the work of a stream."""
        self._ahead += seconds

    def wait_until(self, end: float) -> None:
        """Advance the host's time to `end`, unless it is later."""
        self._ahead -= max(end - self.now(), 0.0)
