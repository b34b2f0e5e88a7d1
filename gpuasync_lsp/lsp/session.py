"""One client's session: documents, their analyses, settings, and the computation of answers.

Everything here runs on the event loop's thread, except for work submitted to the workers, which analyze
documents and compute answers.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from gpuasync_lsp.lsp.caches import Caches
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.collection import Collection
from gpuasync_lsp.lsp.config_problems import ConfigDiagnostics
from gpuasync_lsp.lsp.configuration import Configuration
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.documents import Document, DocumentStore
from gpuasync_lsp.lsp.logs import ClientLog
from gpuasync_lsp.lsp.looks import Looks
from gpuasync_lsp.lsp.outgoing import Outgoing
from gpuasync_lsp.lsp.progress import Progress
from gpuasync_lsp.lsp.protocol import JsonProtocol
from gpuasync_lsp.lsp.scheduler import Scheduler, Steps
from gpuasync_lsp.lsp.shown import Shown
from gpuasync_lsp.lsp.uris import path_of
from gpuasync_lsp.lsp.view import Answer, Built, View
from gpuasync_lsp.lsp.workers import Workers
from gpuasync_lsp.processes import disable_starts
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.collector import no_collection
from gpuasync_lsp.text.effort import Cancelled, cancellable
from gpuasync_lsp.text.plain_json import Json, is_object

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.cancel import Cancel
    from gpuasync_lsp.ide.document.state import FileState

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Session:
    """The state of one session; created when the process starts, complete after `initialize`."""

    def __init__(self, protocol: JsonProtocol, log: ClientLog, workers: Workers) -> None:
        self.protocol = protocol
        self.log = log
        self.client = Client()
        self.documents = DocumentStore()
        self.folders: list[str] = []
        self.configuration = Configuration()
        self.workers = workers
        self.imports: Future[None] | None = None
        """The imports needed by the first document, running on `workers.builds`."""
        self.pulls: set[asyncio.Future[None]] = set()
        """The pulls of diagnostics that have no answer yet."""
        self.collection = Collection()
        self._collecting: asyncio.TimerHandle | None = None
        self.caches = Caches()
        self.outgoing = Outgoing(protocol)
        self.progress = Progress(self.outgoing)
        self.scheduler: Scheduler[Built] = Scheduler(
            workers.builds, self.build, self._show, workers.edits, gives_way=workers.are_concurrent
        )
        """Schedules the builds of open documents."""
        self.shown = Shown(self.outgoing, self.documents, lambda: self.client, self.scheduler.current)
        self.config_diagnostics = ConfigDiagnostics(protocol)
        self._looks = Looks()

    def initialize(self, params: Json) -> None:
        """Read the parameters of `initialize`."""
        self.client = Client.of(params)
        self.documents.encoding = self.client.encoding
        folders: list[Json] = params.get("workspaceFolders") or []
        if folders:
            self.folders = [folder["uri"] for folder in folders]
        elif params.get("rootUri"):
            self.folders = [params["rootUri"]]
        self.log.set_trace(params.get("trace") or "off")
        options = params.get("initializationOptions")
        self.configuration.begin(options if is_object(options) else {})
        if not self.configuration.trusted:
            disable_starts("the workspace is not trusted")

    def rebuild(self) -> None:
        """Analyze every open document again, and ask the client to refresh."""
        for document in self.documents:
            self.scheduler.changed(document)
        refresh = {
            "workspace/diagnostic/refresh": self.client.refreshes_diagnostics
            and self.client.pulls_diagnostics,
            "workspace/inlayHint/refresh": self.client.refreshes_inlay_hints,
            "workspace/semanticTokens/refresh": self.client.refreshes_semantic_tokens,
            "workspace/codeLens/refresh": self.client.refreshes_code_lenses,
        }
        for method, wanted in refresh.items():
            self.outgoing.refresh(method, wanted=wanted)

    def build(self, document: Document, previous: Built | None) -> Steps[Built]:
        """Analyze one document in steps. Runs on the threads for builds."""
        from gpuasync_lsp.ide.document.state import in_steps
        from gpuasync_lsp.lsp.diagnostics import diagnostics_json

        places = Places(document.lines, self.client.encoding)

        def built(state: FileState, *, is_whole: bool, is_shown: bool = True) -> Built:
            diagnostics = diagnostics_json(state, document.uri, places, self.client) if is_shown else "[]"
            return Built(document, state, places, diagnostics, is_whole)

        steps = in_steps(
            document.lines,
            path_of(document.uri),
            self.configuration.resolver_for(document.uri),
            previous.state if previous else None,
            lambda: self._looks.at(document),
        )
        stop: bool | None = None
        is_large = False
        state: FileState | None = None
        while True:
            partial: FileState | None = None
            with no_collection():
                try:
                    partial = steps.send(stop)
                except StopIteration as end:
                    state = end.value
                # Freeze before the collector can examine the step's objects, which would block all threads.
                if state is None or is_large:
                    self.collection.freeze()
                    is_large = True
            if state is not None:
                break
            stop = yield None if partial is None else built(partial, is_whole=False)
        if previous is None and not is_large:
            self.collection.keep()
        elif previous is not None and is_large:
            there = {placed.item for placed in state.source.items}
            gone = (placed.item for placed in previous.state.source.items if placed.item not in there)
            self.collection.give_up(sum(len(item.text) for item in gone))
        for problem in state.resolved.problems:
            if previous is None or problem not in previous.state.resolved.problems:
                logger.warning("%s", problem)
        return built(state, is_whole=not stop, is_shown=not stop)

    def _show_section(self, document: Document, span: Span, *, is_cursor: bool) -> None:
        """Read the visible section of a large IR dump, and show its findings at the cursor."""
        built = self.scheduler.current(document.uri)
        if built is None or built.state.shown is None:
            return
        if not built.state.covers(span) or (is_cursor and not built.state.shows(span)):
            if self.client.pulls_diagnostics and self.client.refreshes_diagnostics:
                self.shown.pulled_early(document.uri)
            self.scheduler.changed(document)

    def opened(self, document: Document) -> None:
        """Schedule the first build of a document, with a progress bar if it takes long."""
        uri = document.uri
        self.shown.opened(uri)
        self._looks.open(document)
        if self.client.progress:
            self.progress.opening(
                uri,
                lambda: uri not in self.documents or self.scheduler.current(uri) is not None,
                lambda: self.scheduler.result(uri),
            )
        self.scheduler.changed(document)

    def changed(self, document: Document, changes: list[Json]) -> None:
        """Schedule a build after `changes`; record the position of the last edit as visible."""
        range_ = changes[-1].get("range") if changes else None
        if range_ is not None:
            start = Places(document.lines, self.client.encoding).offset(range_["start"])
            self._looks.add(document, Span(start, start))
        self.shown.changed(document)
        self.scheduler.changed(document)

    def closed(self, uri: str) -> None:
        """Remove a document and its diagnostics."""
        document = self.documents.get(uri)
        if document is not None:
            self.collection.give_up(len(document.text))
        self.documents.close(uri)
        self.scheduler.closed(uri)
        self.caches.closed(uri)
        self.config_diagnostics.closed(uri)
        self._collect(after=_forget_others)
        self._looks.closed(uri)
        self.progress.opened(uri)
        self.shown.closed(uri)

    def _collect(self, after: Callable[[], None] | None = None) -> None:
        if self._collecting is not None:
            self._collecting.cancel()
        delay = self.collection.delay(sum(len(document.text) for document in self.documents))
        if delay is None:
            return
        if after is not None:
            self.workers.builds.submit(after)
        loop = asyncio.get_running_loop()
        self._collecting = loop.call_later(delay, self.workers.builds.submit, self.collection.collect)

    def _show(self, document: Document, built: Built, is_whole: bool) -> None:
        if is_whole:
            self.progress.opened(document.uri)
            self.log.message(f"analyzed {document.uri} version {document.version}")
            for uri in self.caches.shown(document.uri):
                self.outgoing.refresh("workspace/textDocumentContent/refresh", params={"uri": uri})
            self._collect()
            problems = built.state.resolved.problems
            self.config_diagnostics.take(document.uri, built.state.path, problems)
        self.shown.built(document, built, is_whole=is_whole)

    def document_of(self, params: Json) -> Document:
        """Return the open document that `params` name. Raises JsonRpcInvalidParams if there is none."""
        try:
            document = self.documents.get(uri := _naming(params)["textDocument"]["uri"])
        except (AttributeError, KeyError, TypeError) as error:
            raise JsonRpcInvalidParams("the parameters name no textDocument") from error
        if document is None and self.documents.was_closed(uri):
            # The request crossed the close notification, which is not an error of the client.
            raise JsonRpcContentModified(f"{uri} has been closed")
        if document is None:
            raise JsonRpcInvalidParams(f"{uri} is not open")
        return document

    async def answer(
        self, compute: Answer, params: Json, *, nearby: bool = False, at_once: bool = False
    ) -> Any:
        """Compute an answer on a worker, from the newest analysis of the document that `params` name.

        `nearby`: the answer depends only on the items around the requested position, and is computed as soon
        as they are parsed; without a position, as soon as the sections of a large IR dump are known.
        `at_once`: the answer does not wait for the models of a large function that was edited. Raises
        JsonRpcContentModified if the document changes meanwhile.
        """
        document = self.document_of(params)
        if _naming(params).get("version", document.version) != document.version:
            raise JsonRpcContentModified("the document has changed since")
        span = _requested_span(params, Places(document.lines, self.client.encoding))
        if span is not None:
            self._looks.add(document, span)
            self._show_section(document, span, is_cursor="position" in params or "context" in params)

        def is_enough(built: Built) -> bool:
            state = built.state
            if state.waiting:
                return at_once
            return nearby and (state.shown is not None if span is None else state.covers(span))

        built = await self.scheduler.result(document.uri, is_enough)
        return await self._compute(compute, params, built)

    async def diagnose(self, compute: Answer, params: Json) -> Any:
        """Answer a pull of diagnostics, at first with partial results if the client can be asked to pull
        again.

        The answer for a closed document is empty unless its whole folder is checked, because VS Code pulls
        once more on close, and would otherwise show the last diagnostics forever.
        """
        try:
            document = self.document_of(params)
        except JsonRpcContentModified:
            if self.configuration.options_for(params["textDocument"]["uri"]).check_workspace:
                raise
            return {"kind": "full", "items": []}
        if not self.client.refreshes_diagnostics:
            return await self.answer(compute, params)
        built = await self.scheduler.result(document.uri, lambda built: True)
        if not built.is_whole:
            self.shown.pulled_early(document.uri)
        return await self._compute(compute, params, built)

    async def _compute(self, compute: Answer, params: Json, built: Built) -> Any:
        loop = asyncio.get_running_loop()

        def work(cancel: Cancel) -> Any:
            # While a document is still being read, reading waits for answers about the part already read.
            with nullcontext() if built.is_whole else self.scheduler.urgent():
                return compute(self.view(built, cancel, loop), params)

        def is_stale() -> bool:
            return self.documents.get(built.document.uri) is not built.document

        executor = self.workers.programs if _waits_for_program(params) else self.workers.answers
        try:
            result = await self.run(work, executor, is_stale)
        except Cancelled as error:
            raise JsonRpcContentModified("the document has changed") from error
        if is_stale():
            raise JsonRpcContentModified("the document has changed")
        return result

    def view(self, built: Built, cancel: Cancel, loop: asyncio.AbstractEventLoop) -> View:
        """Return the inputs of an answer; `loop` is this session's event loop."""

        def warn(message: str) -> None:
            loop.call_soon_threadsafe(self._warn, message)

        return View(
            built.document,
            built.state,
            built.places,
            self.client,
            self.configuration.options_for(built.document.uri),
            cancel,
            self.shown.diagnostics_of(built),
            self.shown.runs.timings(built.document),
            self.caches,
            warn,
        )

    def _warn(self, message: str) -> None:
        self.outgoing.notify("window/showMessage", {"type": _WARNING, "message": message})

    async def run(
        self,
        work: Callable[[Cancel], T],
        executor: Executor | None = None,
        is_stale: Callable[[], bool] = lambda: False,
    ) -> T:
        """Run `work` on `executor` (default: `workers.answers`).

        `work` raises Cancelled at its next check if the request is cancelled, or if `is_stale` returns true
        because the result is no longer needed.
        """
        from gpuasync_lsp.ide.document.cancel import Cancel

        cancel = Cancel(threading.Event())

        def cancellably() -> T:
            with cancellable(lambda: cancel.is_set or is_stale()):
                cancel.check()
                return work(cancel)

        try:
            return await asyncio.wrap_future((executor or self.workers.answers).submit(cancellably))
        except asyncio.CancelledError:
            cancel.set()
            raise


def _naming(params: Json) -> Json:
    """Return the part of `params` that names the document; for items to resolve, this is `data`."""
    return params.get("data") or params.get("item", {}).get("data") or params


def _waits_for_program(params: Json) -> bool:
    """Return whether the answer needs a compiler or the user's mlir-opt, as some previews do."""
    return params.get("stage") == "ptx" or bool(params.get("engine") or params.get("compare"))


def _requested_span(params: Json, places: Places) -> Span | None:
    """Return the span that a request refers to; None if it refers to the whole document."""
    range_, position = params.get("range"), params.get("position")
    try:
        if range_ is not None:
            return places.span(range_)
        if position is None:
            return None
        offset = places.offset(position)
    except (AttributeError, KeyError, TypeError):
        return None  # The method has no such parameter: those that have one were validated before.
    return Span(offset, offset)


_WARNING = 2
"""`MessageType.Warning`."""


def _forget_others() -> None:
    """Drop models cached for hover. Must be called on a worker, since it imports xDSL."""
    from gpuasync_lsp.analysis import forget_others

    forget_others()
