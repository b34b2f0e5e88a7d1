"""Decides when documents are analyzed: at once if idle, and while typing after a delay of one build time.

A build runs in steps, and the builds of several documents alternate. A change to a document stops its running
build at the next step, or inside a long analysis: its partial result becomes the base of the next build, and
is neither published nor used for requests. All methods run on the event loop's thread; only the steps may run
on other threads.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial as partial_call
from typing import Generic, TypeVar

from pygls.exceptions import JsonRpcContentModified, JsonRpcInternalError

from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.text.effort import cancellable

R = TypeVar("R")

Steps = Generator[R | None, bool | None, R]
"""A build in steps: yields results to show, receives whether to stop, and returns the final result.

The result of a stopped build is only usable as the base of the next build."""

MAX_DELAY = 0.3
"""Seconds that a burst of edits may delay a build."""

REMIND = 2.0
"""Seconds of a long step after which the partial result is published again.

Without it, clients would assume that the partial result is the final one."""

GIVE_WAY = 0.05
"""Maximum seconds that more urgent work delays a step of reading a document, before and while the step runs.

More urgent are analyses of edits in other documents, and answers about the part already read."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiter(Generic[R]):
    future: asyncio.Future[R]
    enough: Callable[[R], bool]
    """Returns whether an incomplete result is sufficient for this request."""


@dataclass(slots=True)
class _Job(Generic[R]):
    newest: Document
    ticket: int = 0
    """Incremented at each change; a build belongs to the ticket with which it started."""
    built: int = -1
    """The ticket of `result`."""
    result: R | None = None
    partial: R | None = None
    """The partial result of the running build of the newest version."""
    running: bool = False
    cost: float = 0.0
    """The duration of recent builds in seconds."""
    changed_at: float = 0.0
    timer: asyncio.TimerHandle | None = None
    waiting: list[_Waiter[R]] = field(default_factory=list[_Waiter[R]])

    def fail(self, error: Exception) -> None:
        for waiter in self.waiting:
            if not waiter.future.done():
                waiter.future.set_exception(error)
        self.waiting.clear()

    def hand_out(self, result: R, *, whole: bool) -> None:
        """Resolve all waiting requests for which `result` is sufficient."""
        left: list[_Waiter[R]] = []
        for waiter in self.waiting:
            if waiter.future.done():
                continue
            if whole or waiter.enough(result):
                waiter.future.set_result(result)
            else:
                left.append(waiter)
        self.waiting = left


def _never(result: object) -> bool:
    return False


class _Urgent:
    """Counts analyses of edits, and answers about parts already read, which have priority over reading.

    Python runs one thread at a time: while two threads read, an edit would take three times as long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._are_none = threading.Event()
        self._are_none.set()

    def begin(self) -> None:
        with self._lock:
            self._running += 1
            self._are_none.clear()

    def end(self) -> None:
        with self._lock:
            self._running -= 1
            if not self._running:
                self._are_none.set()

    @contextmanager
    def one(self) -> Generator[None]:
        """Return a context manager that increments the count until it exits."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def give_way(self, seconds: float) -> float:
        """Wait until the count is 0, for at most `seconds`; return how many seconds are left."""
        if seconds <= 0 or self._are_none.is_set():
            return seconds
        begun = time.monotonic()
        self._are_none.wait(seconds)
        return seconds - (time.monotonic() - begun)


class Scheduler(Generic[R]):
    """Rebuilds the analysis of each open document after changes."""

    def __init__(
        self,
        executor: Executor,
        build: Callable[[Document, R | None], Steps[R]],
        show: Callable[[Document, R, bool], None],
        edits: Executor | None = None,
        *,
        gives_way: bool = True,
    ) -> None:
        """`build` makes a result from a document and the previous result.

        Builds with a previous result run on `edits`, if given, so that reading other documents does not delay
        them. `show` is called with each result of the newest version, and with whether it is complete.
        `gives_way` makes steps of reading wait for more urgent work; pass False for executors that run one
        call at a time.
        """
        self._executor = executor
        self._build = build
        self._show = show
        self._edit_executor = edits or executor
        self._gives_way = gives_way
        self._urgent = _Urgent()
        self._jobs: dict[str, _Job[R]] = {}

    def urgent(self) -> AbstractContextManager[None]:
        """Return a context manager; while it is active, the reading of documents waits for this thread."""
        return self._urgent.one()

    def changed(self, document: Document) -> None:
        """Schedule a build because the document is new, or it or a dependency of its analysis has changed."""
        job = self._jobs.get(document.uri)
        if job is None:
            job = self._jobs[document.uri] = _Job(document)
        if document is not job.newest:
            job.fail(JsonRpcContentModified("the document has changed"))
        # If the document object is the same, the settings have changed: waiting requests get the new
        # analysis.
        job.newest = document
        job.ticket += 1
        job.partial = None
        job.changed_at = time.monotonic()
        if job.timer is not None:
            self._plan(job)
        elif not job.running:
            self._start(job)

    def closed(self, uri: str) -> None:
        """Remove a document; the result of a running build is dropped."""
        job = self._jobs.pop(uri, None)
        if job is None:
            return
        job.ticket += 1
        job.partial = None
        if job.timer is not None:
            job.timer.cancel()
        job.fail(JsonRpcContentModified("the document was closed"))

    async def result(self, uri: str, enough: Callable[[R], bool] = _never) -> R:
        """Return the analysis of the newest version, or an incomplete analysis that is `enough`.

        Raises JsonRpcContentModified if the document changes while waiting, KeyError if it is not open, and
        JsonRpcInternalError if its analysis failed.
        """
        job = self._jobs[uri]
        if job.built == job.ticket and job.result is not None:
            return job.result
        if job.partial is not None and enough(job.partial):
            return job.partial
        waiter = _Waiter[R](asyncio.get_running_loop().create_future(), enough)
        job.waiting.append(waiter)
        if job.timer is not None:  # Run it now, because a client waits for it.
            job.timer.cancel()
            self._start(job)
        elif not job.running:  # The last build failed.
            self._start(job)
        return await waiter.future

    def current(self, uri: str) -> R | None:
        """Return the analysis of the newest version if it is finished."""
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

        steps = self._build(document, previous)
        is_edit = previous is not None
        executor = self._edit_executor if is_edit else self._executor

        # An edit is urgent until its result is shown, including the wait for a thread.
        def submit(stop: Callable[[], bool | None]) -> None:
            if is_edit:
                self._urgent.begin()
            executor.submit(lambda: go_on(stop()))

        def deliver(call: Callable[[], None]) -> None:
            if is_edit:
                self._urgent.begin()
            loop.call_soon_threadsafe(delivered, call)

        def delivered(call: Callable[[], None]) -> None:
            try:
                call()
            finally:
                if is_edit:
                    self._urgent.end()

        def go_on(stop: bool | None) -> None:
            patience = GIVE_WAY if self._gives_way else 0.0
            if not is_edit:
                patience = self._urgent.give_way(patience)

            def is_unwanted() -> bool:
                nonlocal patience
                if not is_edit:  # A step on a large function takes long.
                    patience = self._urgent.give_way(patience)
                return job.ticket != ticket

            try:
                with cancellable(is_unwanted):
                    partial = steps.send(stop)
            except StopIteration as end:
                deliver(partial_call(self._finished, job, document, ticket, end.value, begun))
            except Exception as error:
                logger.exception("the analysis of %s, version %s, failed", document.uri, document.version)
                deliver(partial_call(self._finished, job, document, ticket, error, begun))
            else:
                if partial is not None:
                    deliver(partial_call(self._partly, job, document, ticket, partial))
                submit(lambda: job.ticket != ticket)
            finally:
                if is_edit:
                    self._urgent.end()

        submit(lambda: None)

    def _partly(self, job: _Job[R], document: Document, ticket: int, partial: R) -> None:
        """Resolve waiting requests with the partial result."""
        if ticket == job.ticket:
            job.partial = partial
            job.hand_out(partial, whole=False)
            self._show(document, partial, False)
            self._remind(job, document, partial)

    def _remind(self, job: _Job[R], document: Document, partial: R) -> None:
        def again() -> None:
            if job.partial is partial:
                self._show(document, partial, False)
                self._remind(job, document, partial)

        asyncio.get_running_loop().call_later(REMIND, again)

    def _finished(
        self, job: _Job[R], document: Document, ticket: int, outcome: R | Exception, begun: float
    ) -> None:
        took = time.monotonic() - begun
        job.cost = took if job.cost == 0 else (job.cost + took) / 2
        job.running = False
        job.partial = None
        if self._jobs.get(document.uri) is not job:
            return
        # After a failed build, start from scratch, since the caches may be the cause.
        job.result = None if isinstance(outcome, Exception) else outcome
        if ticket != job.ticket:
            if job.waiting:
                self._start(job)
            else:
                self._plan(job)
            return
        job.built = ticket
        if isinstance(outcome, Exception):
            job.fail(JsonRpcInternalError(f"the analysis failed: {outcome!r}; see the log"))
        else:
            job.hand_out(outcome, whole=True)
            self._show(document, outcome, True)
