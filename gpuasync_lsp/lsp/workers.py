"""Runs the work of a session on dedicated threads, or on the event loop.

pygls reads stdin on its own thread pool; while work was submitted there, two busy handlers delayed a hover by
3 s. Cancelling a future has no effect once its call runs, so long calls also poll a flag.
A browser has no threads, so work runs there on the event loop between messages, the most urgent work first.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Workers:
    """Runs the work of a session on one executor per kind of work."""

    builds: Executor
    edits: Executor
    """Analyzes documents again after edits, without waiting for files that are being read."""
    answers: Executor
    programs: Executor
    """Computes answers that wait for a compiler or mlir-opt, so that other answers are not delayed."""
    are_concurrent: bool
    """Whether a task may block until another task finishes."""


def on_threads() -> Workers:
    """Return workers that run on threads."""
    return Workers(
        # Two threads, so that a function of thousands of lines, read in one step, delays no other document.
        builds=DaemonExecutor("build", 2),
        edits=DaemonExecutor("edit", 2),
        answers=DaemonExecutor("answer", 2),
        programs=DaemonExecutor("program", 2),
        are_concurrent=True,
    )


def on_event_loop() -> Workers:
    """Return workers that run on the event loop's thread, where all work must be submitted."""
    calls = _Calls()
    return Workers(
        builds=_LoopExecutor(calls, 2),
        edits=_LoopExecutor(calls, 1),
        answers=_LoopExecutor(calls, 0),
        programs=_LoopExecutor(calls, 0),
        are_concurrent=False,
    )


class DaemonExecutor(Executor):
    """An executor with `size` daemon threads, so that a running build never delays the exit of the server."""

    def __init__(self, name: str, size: int) -> None:
        self._queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for number in range(size):
            threading.Thread(target=self._run, name=f"{name}-{number}", daemon=True).start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call; its future can be cancelled until it starts."""
        future, call = _prepared(fn, *args, **kwargs)
        self._queue.put(call)
        return future

    def _run(self) -> None:
        while True:
            self._queue.get()()  # Keeps no reference to a call while the thread waits for the next.


class _Calls:
    """A priority queue of calls, of which the event loop runs one per iteration."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = count()

    def add(self, rank: int, call: Callable[[], None]) -> None:
        """Queue a call; lower ranks run first, equal ranks in the order of submission."""
        heappush(self._waiting, (rank, next(self._numbers), call))
        asyncio.get_running_loop().call_soon(lambda: heappop(self._waiting)[2]())


class _LoopExecutor(Executor):
    """Runs calls on the event loop's thread, between the client's messages."""

    def __init__(self, calls: _Calls, rank: int) -> None:
        self._calls = calls
        self._rank = rank

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call; its future can be cancelled until it starts."""
        future, call = _prepared(fn, *args, **kwargs)
        self._calls.add(self._rank, call)
        return future


def _prepared(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[Future[T], Callable[[], None]]:
    """Return the future of a call, and a function that makes the call unless the future was cancelled."""
    future: Future[T] = Future()

    def call() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the future
            future.set_exception(error)

    return future, call
