"""The flag that stops long work when nobody wants its result any more."""

from __future__ import annotations

import threading


class Cancelled(Exception):
    """The result is no longer wanted."""


class Cancel:
    """Looked at by work that takes long, set from another thread."""

    def __init__(self, event: threading.Event | None = None) -> None:
        self._event = event or threading.Event()

    def set(self) -> None:
        """Ask the work to stop."""
        self._event.set()

    def check(self) -> None:
        """Raise Cancelled if the work is to stop."""
        if self._event.is_set():
            raise Cancelled
