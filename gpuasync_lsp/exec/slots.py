"""How many workers of runs there are at a time, whoever asks for them.

A worker is a process with LLVM in it: 150 MB, and a processor. `RUNNING` work at a time, so that programs
that do not end hold up the others only when there are that many of them. `WAITING` more wait for their turn,
in the order in which they came; the next is rejected.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager

RUNNING = 4
WAITING = 32


class Busy(Exception):
    """So many wait that another one makes no sense; the message says how many."""


class Unwanted(Exception):
    """It was cancelled while it waited."""


class Turn:
    """Somebody's wish for a slot, which they may give up while they wait."""

    def __init__(self) -> None:
        self._decided = threading.Event()

    def give_up(self) -> None:
        """Wait no longer. Without effect once the slot is there."""
        self._decided.set()

    def grant(self) -> None:
        """Wait no longer, for the slot is there."""
        self._decided.set()

    def wait(self) -> None:
        """Wait until it is granted or given up."""
        self._decided.wait()


class Slots:
    """So many at a time, so many waiting."""

    def __init__(self, running: int = RUNNING, waiting: int = WAITING) -> None:
        self._free = running
        self._most_waiting = waiting
        self._waiting: deque[Turn] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def slot(self, turn: Turn, on_wait: Callable[[], None]) -> Generator[None]:
        """Hold a slot; `on_wait` is called if there is none yet. Raises Busy or Unwanted."""
        with self._lock:
            is_granted = self._free > 0
            if is_granted:
                self._free -= 1
            elif len(self._waiting) >= self._most_waiting:
                raise Busy(f"{len(self._waiting)} runs are waiting already")
            else:
                self._waiting.append(turn)
        if not is_granted:
            on_wait()
            turn.wait()
            with self._lock:
                if turn in self._waiting:  # not granted, so given up
                    self._waiting.remove(turn)
                    raise Unwanted
        try:
            yield
        finally:
            self._release()

    def _release(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().grant()  # it takes this slot over
            else:
                self._free += 1


RUNS = Slots()
"""Those of this process."""
