"""The flag that cancels a long computation whose result is no longer needed."""

from __future__ import annotations

import threading
from time import monotonic

from gpuasync_lsp.text.effort import Cancelled

__all__ = ["Cancel", "Cancelled", "Patience"]


class Cancel:
    """A flag that another thread sets, and that a long computation checks."""

    def __init__(self, event: threading.Event | None = None) -> None:
        self._event = event or threading.Event()

    def set(self) -> None:
        """Ask the work to stop."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """Whether the work should stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise Cancelled if the work should stop."""
        if self._event.is_set():
            raise Cancelled


class Patience:
    """A time limit for a computation that yields partial results."""

    def __init__(self, seconds: float, cancel: Cancel | None = None) -> None:
        self._seconds = seconds
        self._end: float | None = None
        self._cancel = cancel or Cancel()
        self.ran_out = False
        """Whether the time limit has stopped the work."""

    def lasts(self) -> bool:
        """Return whether to continue; the time starts with the first call. Raises Cancelled."""
        self._cancel.check()
        now = monotonic()
        self._end = now + self._seconds if self._end is None else self._end
        self.ran_out = self.ran_out or now >= self._end
        return not self.ran_out
