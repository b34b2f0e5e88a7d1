"""When documents are analysed: at once when idle, debounced by the recent build time when typing is faster.

A build goes in steps, and the builds of several documents take turns. A change that comes while a build of
that document runs stops it at its next step, or inside one that is an analysis of some time: what it has come
to is kept as the base of the next build, and neither published nor handed to a request. All methods belong to
the thread of the event loop; only the steps may run elsewhere.
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
"""A build in steps: yields a result where it has something new to show, takes whether to stop, and returns
the result in the end. One that was stopped is good for nothing but to be the base of the next build."""

MAX_DELAY = 0.3
"""Seconds that a burst of edits may put off a build."""

REMIND = 2.0
"""Seconds after which what there is so far is shown again, where a step takes longer: a client that hears
nothing takes that for all."""

GIVE_WAY = 0.05
"""Seconds at most that a step of a document that is being read waits, before and while it runs, for edits of
others to be analysed, and for answers about what is read."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiter(Generic[R]):
    future: asyncio.Future[R]
    enough: Callable[[R], bool]
    """Whether an incomplete result does."""


@dataclass(slots=True)
class _Job(Generic[R]):
    newest: Document
    ticket: int = 0
    """Counts changes; a build belongs to the ticket that it began with."""
    built: int = -1
    """The ticket of `result`."""
    result: R | None = None
    partial: R | None = None
    """What the running build has to show so far, for the newest document."""
    running: bool = False
    cost: float = 0.0
    """Seconds that recent builds took."""
    changed_at: float = 0.0
    timer: asyncio.TimerHandle | None = None
    waiting: list[_Waiter[R]] = field(default_factory=list[_Waiter[R]])

    def fail(self, error: Exception) -> None:
        """Fail all waiting requests with `error`."""
        for waiter in self.waiting:
            if not waiter.future.done():
                waiter.future.set_exception(error)
        self.waiting.clear()

    def hand_out(self, result: R, *, whole: bool) -> None:
        """Give `result` to all for whom it is enough."""
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
    """Counts what goes before reading: edits that are being analysed, answers about what is read so far.

    Python runs one thread at a time: with two others that read, an edit would take three times as long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._are_none = threading.Event()
        self._are_none.set()

    def begin(self) -> None:
        """Count one more."""
        with self._lock:
            self._running += 1
            self._are_none.clear()

    def end(self) -> None:
        """Count one less."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._are_none.set()

    @contextmanager
    def one(self) -> Generator[None]:
        """Count one more while it runs."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def give_way(self, seconds: float) -> float:
        """Wait until there are none, but no longer than `seconds`; return how many of these are left."""
        if seconds <= 0 or self._are_none.is_set():
            return seconds
        begun = time.monotonic()
        self._are_none.wait(seconds)
        return seconds - (time.monotonic() - begun)


class Scheduler(Generic[R]):
    """Keeps one analysis per open document up to date."""

    def __init__(
        self,
        executor: Executor,
        build: Callable[[Document, R | None], Steps[R]],
        show: Callable[[Document, R, bool], None],
        edits: Executor | None = None,
        *,
        gives_way: bool = True,
    ) -> None:
        """`build` makes a result from a document and the previous result; where there is one, it runs on the
        threads of `edits`, if given, which no reading of other documents holds up.

        `show` is reported about results of the newest document, and whether they are whole. `gives_way` says
        that a step of reading waits for what is more urgent; not for executors that run one call at a time.
        """
        self._executor = executor
        self._build = build
        self._show = show
        self._edit_executor = edits or executor
        self._gives_way = gives_way
        self._urgent = _Urgent()
        self._jobs: dict[str, _Job[R]] = {}

    def urgent(self) -> AbstractContextManager[None]:
        """Return what has the reading of documents wait for what is done inside, on another thread."""
        return self._urgent.one()

    def changed(self, document: Document) -> None:
        """Plan a build: the document is new or has changed, or what its analysis depends on has."""
        job = self._jobs.get(document.uri)
        if job is None:
            job = self._jobs[document.uri] = _Job(document)
        if document is not job.newest:
            job.fail(JsonRpcContentModified("the document has changed"))
        # Else settings have changed: who waits for an analysis of this text gets the one with these.
        job.newest = document
        job.ticket += 1
        job.partial = None
        job.changed_at = time.monotonic()
        if job.timer is not None:
            self._plan(job)
        elif not job.running:
            self._start(job)

    def closed(self, uri: str) -> None:
        """Forget a document; a build of it that still runs is dropped."""
        job = self._jobs.pop(uri, None)
        if job is None:
            return
        job.ticket += 1
        job.partial = None
        if job.timer is not None:
            job.timer.cancel()
        job.fail(JsonRpcContentModified("the document was closed"))

    async def result(self, uri: str, enough: Callable[[R], bool] = _never) -> R:
        """Return the analysis of the newest version; an incomplete one if it is `enough`.

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
        if job.timer is not None:  # somebody waits: no more patience
            job.timer.cancel()
            self._start(job)
        elif not job.running:  # the last build failed
            self._start(job)
        return await waiter.future

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

        steps = self._build(document, previous)
        is_edit = previous is not None
        executor = self._edit_executor if is_edit else self._executor

        # An edit is urgent until it is shown; also while it waits for a thread.
        def submit(stop: Callable[[], bool | None]) -> None:
            if is_edit:
                self._urgent.begin()
            executor.submit(lambda: go_on(stop()))

        def tell(call: Callable[[], None]) -> None:
            if is_edit:
                self._urgent.begin()
            loop.call_soon_threadsafe(told, call)

        def told(call: Callable[[], None]) -> None:
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
                if not is_edit:  # A step of a large function takes long.
                    patience = self._urgent.give_way(patience)
                return job.ticket != ticket

            try:
                with cancellable(is_unwanted):
                    partial = steps.send(stop)
            except StopIteration as end:
                tell(partial_call(self._finished, job, document, ticket, end.value, begun))
            except Exception as error:
                logger.exception("the analysis of %s, version %s, failed", document.uri, document.version)
                tell(partial_call(self._finished, job, document, ticket, error, begun))
            else:
                if partial is not None:
                    tell(partial_call(self._partly, job, document, ticket, partial))
                submit(lambda: job.ticket != ticket)
            finally:
                if is_edit:
                    self._urgent.end()

        submit(lambda: None)

    def _partly(self, job: _Job[R], document: Document, ticket: int, partial: R) -> None:
        """Return the results so far to the waiting requests."""
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
        # A failed build leaves nothing to build upon: what it cached may be what broke it.
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
