"""How much work may be done for a piece of text, and the cancellation of work that is no longer needed.

Loops that may take long `spend` steps. Every few of them it is looked whether somebody wants the result
(`cancellable`) and whether there is too much of it (`limited`): by counting, so that the same text comes to
the same end everywhere, and by the thread's processor time after that, for steps that take longer than most.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

try:
    from time import thread_time
except ImportError:  # in a browser there is one thread, and no clock of it
    from time import process_time as thread_time

R = TypeVar("R")

STEPS = 500_000
"""What may be spent on a text, besides `STEPS_PER_CHARACTER`; some seconds."""
STEPS_PER_CHARACTER = 5
SECONDS = 10.0
"""Processor time that may be spent on a text, besides `SECONDS_PER_CHARACTER`."""
SECONDS_PER_CHARACTER = 20e-6

PORTION = 1000
"""Steps from one look to the next; some milliseconds."""


class TookTooLong(Exception):
    """There is too much to do."""


class Cancelled(Exception):
    """The result is no longer wanted."""


class _Limit:
    def __init__(self, characters: int) -> None:
        self.steps = STEPS + STEPS_PER_CHARACTER * characters
        self.end = thread_time() + SECONDS + SECONDS_PER_CHARACTER * characters


class _Work(threading.local):
    """What the current thread is doing."""

    left = PORTION
    """Steps until the next look."""
    limit: _Limit | None = None
    is_unwanted: Callable[[], bool] | None = None


_work = _Work()


def spend(steps: int = 1) -> None:
    """Note that work is done: a step takes some microseconds. Raises TookTooLong and Cancelled."""
    work = _work
    work.left -= steps
    if work.left <= 0:
        _look(work)


@contextmanager
def limited(characters: int) -> Generator[None]:
    """Let what is done inside raise TookTooLong where it is too much for a text of so many characters.

    A limit around it does not hold meanwhile."""
    around = _work.limit
    _look(_work)
    _work.limit = _Limit(characters)
    try:
        yield
    finally:
        _work.limit, _work.left = around, PORTION


def metered(work: Callable[[], R]) -> tuple[R | None, int]:
    """Return what `work` returns, None where it took too long, and the steps that were spent on it.

    So a copy of this process does a part, and the limit of the whole is kept by spending its steps here."""
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
    """Let what is done inside raise Cancelled once `is_unwanted` says so, asked every few milliseconds."""
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
