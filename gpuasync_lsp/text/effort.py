"""Limits on the work done for a document, and cancellation of work that is no longer needed.

Long loops call `spend` with a number of steps. After every `PORTION` steps, `spend` checks whether the result
is still needed (`cancellable`) and whether the limit is reached (`limited`). The limit counts steps, which is
reproducible, and also CPU time, for steps that take unusually long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

try:
    from time import thread_time
except ImportError:  # A browser has a single thread, without its own clock.
    from time import process_time as thread_time

R = TypeVar("R")

STEPS = 500_000
"""The base limit in steps, which take some seconds; each character adds `STEPS_PER_CHARACTER`."""
STEPS_PER_CHARACTER = 5
SECONDS = 10.0
"""The base limit of CPU time; each character adds `SECONDS_PER_CHARACTER`."""
SECONDS_PER_CHARACTER = 20e-6

PORTION = 1000
"""The number of steps between two checks, which take some milliseconds."""


class TookTooLong(Exception):
    """Raised if the work for a document exceeds its limit."""


class Cancelled(Exception):
    """Raised if the result of the work is no longer needed."""


class _Limit:
    def __init__(self, characters: int) -> None:
        self.steps = STEPS + STEPS_PER_CHARACTER * characters
        self.end = thread_time() + SECONDS + SECONDS_PER_CHARACTER * characters


class _Work(threading.local):
    """The limits and counts of the current thread's work."""

    left = PORTION
    """Steps until the next check."""
    limit: _Limit | None = None
    is_unwanted: Callable[[], bool] | None = None


_work = _Work()


def spend(steps: int = 1) -> None:
    """Count `steps` of work of some microseconds each. Raises TookTooLong and Cancelled."""
    work = _work
    work.left -= steps
    if work.left <= 0:
        _look(work)


@contextmanager
def limited(characters: int) -> Generator[None]:
    """Raise TookTooLong inside the context when the work exceeds the limit for a document of this length.

    An enclosing limit is suspended inside the context."""
    around = _work.limit
    _look(_work)
    _work.limit = _Limit(characters)
    try:
        yield
    finally:
        _work.limit, _work.left = around, PORTION


def metered(work: Callable[[], R]) -> tuple[R | None, int]:
    """Return the result of `work`, or None if it took too long, and the steps that it spent.

    Forked processes call this function for a part of the work; the parent process then spends their steps."""
    before = _balance()
    try:
        result = work()
    except TookTooLong:
        result = None
    return result, before - _balance()


def _balance() -> int:
    return _work.left + (_work.limit.steps if _work.limit is not None else 0)


@contextmanager
def cancellable(is_unwanted: Callable[[], bool]) -> Generator[None]:
    """Raise Cancelled inside the context once `is_unwanted` returns true; it is called every few
    milliseconds."""
    around = _work.is_unwanted
    _work.is_unwanted = is_unwanted if around is None else lambda: is_unwanted() or around()
    try:
        yield
    finally:
        _work.is_unwanted = around


def _look(work: _Work) -> None:
    spent, work.left = PORTION - work.left, PORTION
    if work.is_unwanted is not None and work.is_unwanted():
        raise Cancelled
    if work.limit is not None:
        work.limit.steps -= spent
        if work.limit.steps < 0 or thread_time() > work.limit.end:
            raise TookTooLong
