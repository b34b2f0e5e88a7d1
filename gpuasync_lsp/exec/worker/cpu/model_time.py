"""The timeline as if streams ran concurrently with the host, though one thread executes everything in turn.

An operation takes the time that it really took. It begins once the host has enqueued it, its stream is free,
and the stream's waits have ended; the host waits for it, or continues meanwhile.
"""

from __future__ import annotations

import time


class ModelClock:
    """The host's time without the work that it did for streams, but with the time that it would have waited.

    In seconds of `time.perf_counter`, with which it agrees until the first operation runs.
    """

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Return the host's time."""
        return time.perf_counter() - self._ahead

    def leave_out(self, seconds: float) -> None:
        """Subtract time in which the host did the work of a stream."""
        self._ahead += seconds

    def wait_until(self, end: float) -> None:
        """Make the host wait for an event at time `end`."""
        self._ahead -= max(end - self.now(), 0.0)
