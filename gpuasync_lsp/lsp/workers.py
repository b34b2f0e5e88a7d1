"""Threads of our own, and the flag that stops what runs on them.

pygls reads stdin on its thread pool, so work must not go there: two busy handlers delayed a hover by
3 s. Cancelling a future stops only what has not begun; hence the flag, which long work looks at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any


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
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the future
                future.set_exception(error)
            else:
                future.set_result(result)
            # Keep nothing alive while the thread waits for more.
            del future, call
