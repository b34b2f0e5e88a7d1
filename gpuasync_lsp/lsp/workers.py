"""Where the work of a session runs: on threads of our own, or between the turns of the event loop.

pygls reads stdin on its thread pool, so work must not go there: two busy handlers delayed a hover by
3 s. Cancelling a future stops only what has not begun; hence the flag, which long work looks at.
A browser has no threads: there, work takes turns with the client's messages, and the most urgent goes first.
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
from typing import Any


@dataclass(frozen=True)
class Workers:
    """Runs the work of a session, by its kind."""

    builds: Executor
    edits: Executor
    """Analyses documents that were analysed before, and so waits for no file that is being read."""
    answers: Executor
    programs: Executor
    """Computes the answers that wait for a compiler or a mlir-opt, and hold up no others."""
    are_concurrent: bool
    """Whether work may wait for other work."""


def on_threads() -> Workers:
    """Return workers that are threads."""
    return Workers(
        # Two, so that a function of thousands of lines, read in one step, holds up no other document.
        builds=DaemonExecutor("build", 2),
        edits=DaemonExecutor("edit", 2),
        answers=DaemonExecutor("answer", 2),
        programs=DaemonExecutor("program", 2),
        are_concurrent=True,
    )


def on_event_loop() -> Workers:
    """Return workers that use no thread but that of the event loop, where all work is to be submitted."""
    calls = _Calls()
    return Workers(
        builds=_LoopExecutor(calls, 2),
        edits=_LoopExecutor(calls, 1),
        answers=_LoopExecutor(calls, 0),
        programs=_LoopExecutor(calls, 0),
        are_concurrent=False,
    )


class DaemonExecutor(Executor):
    """A pool of `size` daemon threads: a build that is still running never delays the exit of the server."""

    def __init__(self, name: str, size: int) -> None:
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        for number in range(size):
            threading.Thread(target=self._run, name=f"{name}-{number}", daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call; the future can be cancelled as long as it has not begun."""
        future: Future[Any] = Future()
        self._queue.put((future, lambda: fn(*args, **kwargs)))
        return future

    def _run(self) -> None:
        while True:
            future, call = self._queue.get()
            _complete(future, call)
            # Keep nothing alive while the thread waits for more.
            del future, call


class _Calls:
    """Calls that wait for the event loop, which makes one at each of its turns."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, Future[Any], Callable[[], Any]]] = []
        self._numbers = count()

    def add(self, rank: int, call: Callable[[], Any]) -> Future[Any]:
        """Queue a call after those of a lower rank, and those of its own that came before."""
        future: Future[Any] = Future()
        heappush(self._waiting, (rank, next(self._numbers), future, call))
        asyncio.get_running_loop().call_soon(self._make_next)
        return future

    def _make_next(self) -> None:
        _, _, future, call = heappop(self._waiting)
        _complete(future, call)


class _LoopExecutor(Executor):
    """Makes its calls on the thread of the event loop, between the client's messages."""

    def __init__(self, calls: _Calls, rank: int) -> None:
        self._calls = calls
        self._rank = rank

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call; the future can be cancelled as long as it has not begun."""
        return self._calls.add(self._rank, lambda: fn(*args, **kwargs))


def _complete(future: Future[Any], call: Callable[[], Any]) -> None:
    """Make the call, unless its future was cancelled, and give the future what comes of it."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the future
        future.set_exception(error)
    else:
        future.set_result(result)
