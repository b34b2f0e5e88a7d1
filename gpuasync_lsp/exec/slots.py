"""Limits the number of concurrent workers of this process.

A worker contains LLVM and uses 150 MB and a processor core. Up to `RUNNING` workers run at a time, so fewer
endless programs than that do not block other programs. Up to `WAITING` more requests are queued in order;
further ones are rejected.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager

RUNNING = 4
WAITING = 32


class Busy(Exception):
    """The queue is full; the message gives the number of waiting runs."""


class Unwanted(Exception):
    """The request was cancelled while it was queued."""


class Turn:
    """A request for a slot, which can be cancelled while it is queued."""

    def __init__(self) -> None:
        self._decided = threading.Event()

    def give_up(self) -> None:
        """Cancel the request; without effect once the slot is granted."""
        self._decided.set()

    def grant(self) -> None:
        """Grant the slot."""
        self._decided.set()

    def wait(self) -> None:
        """Wait until the request is granted or cancelled."""
        self._decided.wait()


class Slots:
    """A limited number of slots with a bounded queue."""

    def __init__(self, running: int = RUNNING, waiting: int = WAITING) -> None:
        self._free = running
        self._most_waiting = waiting
        self._waiting: deque[Turn] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def slot(self, turn: Turn, on_wait: Callable[[], None]) -> Generator[None]:
        """Occupy a slot during the `with` block; call `on_wait` if none is free. Raises Busy or Unwanted."""
        with self._lock:
            is_granted = self._free > 0
            if is_granted:
                self._free -= 1
            elif len(self._waiting) >= self._most_waiting:
                raise Busy(f"{len(self._waiting)} runs are already waiting")
            else:
                self._waiting.append(turn)
        if not is_granted:
            on_wait()
            turn.wait()
            with self._lock:
                if turn in self._waiting:  # Not granted, so it was cancelled.
                    self._waiting.remove(turn)
                    raise Unwanted
        try:
            yield
        finally:
            self._release()

    def _release(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().grant()  # The slot passes to the next request.
            else:
                self._free += 1


RUNS = Slots()
"""The slots for the workers of this process."""
