"""When documents are analysed: at once when idle, debounced by the recent build time when typing is faster.

One build runs at a time. A change that comes while a build runs makes its result stale: it is kept as the
base of the next build, and neither published nor handed to a request. All methods belong to the thread of the
event loop; only `build` runs elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pygls.exceptions import JsonRpcContentModified, JsonRpcInternalError

from gpuasync_lsp.lsp.documents import Document

R = TypeVar("R")

MAX_DELAY = 0.3
"""Seconds that a burst of edits may put off a build."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job(Generic[R]):
    newest: Document
    ticket: int = 0
    """Counts changes; a build belongs to the ticket that it began with."""
    built: int = -1
    """The ticket of `result`."""
    result: R | None = None
    running: bool = False
    cost: float = 0.0
    """Seconds that recent builds took."""
    changed_at: float = 0.0
    timer: asyncio.TimerHandle | None = None
    waiting: list[asyncio.Future[R]] = field(default_factory=list[asyncio.Future[R]])


class Scheduler(Generic[R]):
    """Keeps one analysis per open document up to date."""

    def __init__(
        self,
        executor: Executor,
        build: Callable[[Document, R | None], R],
        done: Callable[[Document, R], None],
    ) -> None:
        """`build` makes a result from a document and the previous result; `done` is told of current ones."""
        self._executor = executor
        self._build = build
        self._done = done
        self._jobs: dict[str, _Job[R]] = {}

    def changed(self, document: Document) -> None:
        """Plan a build: the document is new or has changed, or what its analysis depends on has."""
        job = self._jobs.get(document.uri)
        if job is None:
            job = self._jobs[document.uri] = _Job(document)
        job.newest = document
        job.ticket += 1
        job.changed_at = time.monotonic()
        for waiter in job.waiting:
            if not waiter.done():
                waiter.set_exception(JsonRpcContentModified("the document has changed"))
        job.waiting.clear()
        if job.timer is not None:
            self._plan(job)
        elif not job.running:
            self._start(job)

    def closed(self, uri: str) -> None:
        """Forget a document; a build of it that still runs is dropped when it ends."""
        job = self._jobs.pop(uri, None)
        if job is None:
            return
        if job.timer is not None:
            job.timer.cancel()
        for waiter in job.waiting:
            if not waiter.done():
                waiter.set_exception(JsonRpcContentModified("the document was closed"))

    async def result(self, uri: str) -> R:
        """Return the analysis of the newest version.

        Raises JsonRpcContentModified if the document changes while waiting, KeyError if it is not open, and
        JsonRpcInternalError if its analysis failed.
        """
        job = self._jobs[uri]
        if job.built == job.ticket and job.result is not None:
            return job.result
        waiter: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        job.waiting.append(waiter)
        if job.timer is not None:  # somebody waits: no more patience
            job.timer.cancel()
            self._start(job)
        elif not job.running:  # the last build failed
            self._start(job)
        return await waiter

    def current(self, uri: str) -> R | None:
        """Return the analysis of the newest version if it is there already."""
        job = self._jobs.get(uri)
        return job.result if job is not None and job.built == job.ticket else None

    def _plan(self, job: _Job[R]) -> None:
        if job.timer is not None:
            job.timer.cancel()
        delay = job.changed_at + min(job.cost, MAX_DELAY) - time.monotonic()
        job.timer = asyncio.get_running_loop().call_later(max(delay, 0), self._start, job)

    def _start(self, job: _Job[R]) -> None:
        job.timer = None
        job.running = True
        loop = asyncio.get_running_loop()
        document, ticket, previous, begun = job.newest, job.ticket, job.result, time.monotonic()

        def run() -> None:
            try:
                outcome: R | Exception = self._build(document, previous)
            except Exception as error:
                logger.exception("the analysis of %s, version %s, failed", document.uri, document.version)
                outcome = error
            loop.call_soon_threadsafe(self._finished, job, document, ticket, outcome, begun)

        self._executor.submit(run)

    def _finished(
        self, job: _Job[R], document: Document, ticket: int, outcome: R | Exception, begun: float
    ) -> None:
        took = time.monotonic() - begun
        job.cost = took if job.cost == 0 else (job.cost + took) / 2
        job.running = False
        if self._jobs.get(document.uri) is not job:
            return
        # A failed build leaves nothing to build upon: what it cached may be what broke it.
        job.result = None if isinstance(outcome, Exception) else outcome
        if ticket != job.ticket:
            if job.waiting:
                self._start(job)
            else:
                self._plan(job)
            return
        job.built = ticket
        waiting, job.waiting = job.waiting, []
        for waiter in waiting:
            if waiter.done():
                continue
            if isinstance(outcome, Exception):
                waiter.set_exception(JsonRpcInternalError(f"the analysis failed: {outcome!r}; see the log"))
            else:
                waiter.set_result(outcome)
        if not isinstance(outcome, Exception):
            self._done(document, outcome)
