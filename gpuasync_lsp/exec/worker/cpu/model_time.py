"""When things would have happened if streams ran next to the host, though one thread does everything in turn.

An operation takes the time that it really took. It begins once the host has enqueued it, its stream is free,
and what its stream waits for has ended; the host waits for it, or goes on meanwhile.
"""

from __future__ import annotations

import time


class ModelClock:
    """The host's time without what it did in the streams' place, and with what it would have waited for.

    In seconds of `time.perf_counter`, with which it agrees until the first operation runs.
    """

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Return the host's time."""
        return time.perf_counter() - self._ahead

    def leave_out(self, seconds: float) -> None:
        """Take out time in which the host did the work of a stream."""
        self._ahead += seconds

    def wait_until(self, end: float) -> None:
        """Let the host wait for something that ends at `end`."""
        self._ahead -= max(end - self.now(), 0.0)
