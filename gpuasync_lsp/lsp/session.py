"""One client's session: its documents, their analyses, its settings, and how answers are computed.

Everything here belongs to the thread of the event loop, but for what is handed to the executors: `builds`
analyses documents in turns, `answers` computes the answers to requests, `programs` those that wait for one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams
from pygls.uris import to_fs_path

from gpuasync_lsp.lsp.caches import Caches
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.collection import Collection
from gpuasync_lsp.lsp.config_problems import ConfigDiagnostics
from gpuasync_lsp.lsp.configuration import Configuration
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.documents import Document, DocumentStore
from gpuasync_lsp.lsp.finished_runs import FinishedRuns
from gpuasync_lsp.lsp.logs import ClientLog
from gpuasync_lsp.lsp.protocol import ClientError, JsonProtocol
from gpuasync_lsp.lsp.scheduler import Scheduler, Steps
from gpuasync_lsp.lsp.workers import DaemonExecutor
from gpuasync_lsp.processes import refuse
from gpuasync_lsp.text import Finding, Span
from gpuasync_lsp.text.effort import cancellable

if TYPE_CHECKING:
    from gpuasync_lsp.exec import RunReport
    from gpuasync_lsp.ide.document.cancel import Cancel
    from gpuasync_lsp.ide.document.options import EditorOptions
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.ide.features.inlay_hints import Hint

Json = dict[str, Any]
T = TypeVar("T")

logger = logging.getLogger(__name__)

SLOW_BUILD = 0.8
"""Seconds after which a build is worth a progress bar."""

MOST_CLOSED = 1000
"""Documents that were closed and are remembered."""
FIRST_LINES = 100
"""What a user sees of a document that was opened, as long as no request says otherwise."""

MOST_LOOKS = 8
"""Places of a document that are remembered as looked at."""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished analysis: of which document, and its diagnostics as the client wants them."""

    document: Document
    state: FileState
    places: Places
    diagnostics: str
    """A JSON list."""
    is_whole: bool
    """False for what is known of a large document while it is being read."""


@dataclass(frozen=True, slots=True)
class View:
    """What an answer is computed from; nothing in it changes meanwhile."""

    document: Document
    state: FileState
    places: Places
    client: Client
    options: EditorOptions
    cancel: Cancel
    diagnostics: str
    timings: tuple[Hint, ...]
    """Of the document's last run."""
    caches: Caches
    warn: Callable[[str], None]
    """Shows the user a message; from whatever thread."""

    @property
    def uri(self) -> str:
        """The document's URI."""
        return self.document.uri

    def offset(self, params: Json) -> int:
        """Return the offset of the `position` of `params`."""
        return self.places.offset(params["position"])


Answer = Callable[[View, Json], Any]


@dataclass(slots=True)
class Session:
    """The state of one session; made when the process starts, complete after `initialize`."""

    protocol: JsonProtocol
    log: ClientLog
    client: Client = field(default_factory=Client)
    documents: DocumentStore = field(default_factory=DocumentStore)
    folders: list[str] = field(default_factory=list[str])
    configuration: Configuration = field(default_factory=Configuration)
    builds: DaemonExecutor = field(default_factory=lambda: DaemonExecutor("build", 2))
    """Two, so that a function of thousands of lines, read in one step, holds up no other document."""
    answers: DaemonExecutor = field(default_factory=lambda: DaemonExecutor("answer", 2))
    programs: DaemonExecutor = field(default_factory=lambda: DaemonExecutor("program", 2))
    """Computes the answers that wait for a compiler or a mlir-opt: these are two, and hold up no others."""
    imports: Future[None] | None = None
    """What the first document needs, being imported on a thread of `builds`."""
    collection: Collection = field(default_factory=Collection)
    finished_runs: FinishedRuns = field(default_factory=FinishedRuns)
    cancellable: dict[str | int, asyncio.Future[Any]] = field(default_factory=dict[str | int, Any])
    """What runs under a progress token, so that the client can cancel it there."""
    caches: Caches = field(default_factory=Caches)
    no_longer_open: dict[str, None] = field(default_factory=dict[str, None])
    """The documents that were closed, the newest last: a client that pulls may still show what they had."""
    _config_diagnostics: ConfigDiagnostics | None = None
    _looks: dict[str, tuple[Document, tuple[Span, ...]]] = field(default_factory=dict[str, Any])
    """By document: what the user looks at, the newest last."""
    _pulled_early: set[str] = field(default_factory=set[str])
    """The documents whose diagnostics were pulled while they were being read."""
    _scheduler: Scheduler[Built] | None = None
    _progress: dict[str, asyncio.TimerHandle] = field(default_factory=dict[str, asyncio.TimerHandle])
    _progress_count: int = 0

    @property
    def scheduler(self) -> Scheduler[Built]:
        """Plans the builds of open documents."""
        if self._scheduler is None:
            self._scheduler = Scheduler(self.builds, self.build, self._show)
        return self._scheduler

    @property
    def config_diagnostics(self) -> ConfigDiagnostics:
        """Shows what is wrong in configuration files."""
        if self._config_diagnostics is None:
            self._config_diagnostics = ConfigDiagnostics(self.protocol)
        return self._config_diagnostics

    def initialize(self, params: Json) -> None:
        """Take in the parameters of `initialize`."""
        self.client = Client.of(params)
        self.documents.encoding = self.client.encoding
        folders: list[Json] = params.get("workspaceFolders") or []
        if folders:
            self.folders = [folder["uri"] for folder in folders]
        elif params.get("rootUri"):
            self.folders = [params["rootUri"]]
        self.log.set_trace(params.get("trace") or "off")
        options: Any = params.get("initializationOptions")
        self.configuration.begin(cast("Json", options) if isinstance(options, dict) else {})
        if not self.configuration.trusted:
            refuse("the workspace is not trusted")

    def rebuild(self) -> None:
        """Analyse every open document again, and have the client ask again for what it pulls."""
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
            if wanted:
                self.spawn(self.ask(method, None))

    async def ask(self, method: str, params: Any) -> Any:
        """Send a request to the client; a refusal is logged and gives None."""
        try:
            return await self.protocol.ask(method, params)
        except ClientError as error:
            logger.warning("the client refused %s: %s", method, error.message)
            return None

    def spawn(self, work: Any) -> None:
        """Run a coroutine beside everything else, and keep it alive until it ends."""
        task = asyncio.ensure_future(work)
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)

    def build(self, document: Document, previous: Built | None) -> Steps[Built]:
        """Analyse one document in steps. Runs on the builds' threads."""
        from gpuasync_lsp.ide.document.state import in_steps
        from gpuasync_lsp.lsp.diagnostics import diagnostics_json

        places = Places(document.lines, self.client.encoding)

        def built(state: FileState, *, is_whole: bool) -> Built:
            diagnostics = diagnostics_json(state, document.uri, places, self.client)
            return Built(document, state, places, diagnostics, is_whole)

        steps = in_steps(
            document.lines,
            path_of(document.uri),
            self.configuration.resolver_for(document.uri),
            previous.state if previous else None,
            lambda: self._looked_at(document),
        )
        stop: bool | None = None
        is_frozen = False
        while True:
            try:
                partial = steps.send(stop)
            except StopIteration as end:
                state: FileState = end.value
                break
            self.collection.keep()
            is_frozen = True
            stop = yield None if partial is None else built(partial, is_whole=False)
        if previous is None:
            self.collection.keep()
        elif is_frozen:
            self.collection.give_up(len(previous.document.text))
        for problem in state.resolved.problems:
            if previous is None or problem not in previous.state.resolved.problems:
                logger.warning("%s", problem)
        return built(state, is_whole=not stop)

    def look_at(self, document: Document, span: Span) -> None:
        """Remember that the user looks at `span`: while the document is read, this comes first."""
        self._looks[document.uri] = document, (*self._looked_at(document), span)[-MOST_LOOKS:]

    def _looked_at(self, document: Document) -> tuple[Span, ...]:
        known = self._looks.get(document.uri)
        return known[1] if known is not None and known[0] is document else ()

    def _show_section(self, document: Document, span: Span, *, is_cursor: bool) -> None:
        """Have the section of a large IR dump read that is looked at, and show its findings at the cursor."""
        built = self.scheduler.current(document.uri)
        if built is None or built.state.shown is None:
            return
        if not built.state.covers(span) or (is_cursor and not built.state.shows(span)):
            if self.client.pulls_diagnostics and self.client.refreshes_diagnostics:
                self._pulled_early.add(document.uri)
            self.scheduler.changed(document)

    def opened(self, document: Document) -> None:
        """Plan the first build of a document, with a progress bar if it takes long."""
        self.no_longer_open.pop(document.uri, None)
        starts = document.lines.starts
        first = starts[FIRST_LINES] if len(starts) > FIRST_LINES else len(document.text)
        self.look_at(document, Span(0, first))
        if self.client.progress:
            loop = asyncio.get_running_loop()
            self._progress[document.uri] = loop.call_later(
                SLOW_BUILD, lambda: self.spawn(self._show_progress(document.uri))
            )
        self.scheduler.changed(document)

    async def new_progress_token(self) -> str:
        """Have the client make a place for progress that it has not asked for; return its token."""
        self._progress_count += 1
        token = f"gpuasync-{self._progress_count}"
        await self.ask("window/workDoneProgress/create", {"token": token})
        return token

    async def _show_progress(self, uri: str) -> None:
        token = await self.new_progress_token()
        if uri not in self.documents or self.scheduler.current(uri) is not None:
            return
        name = uri.rsplit("/", 1)[-1]
        value: Json = {"kind": "begin", "title": f"Analysing {name}", "cancellable": False}
        self.protocol.notify("$/progress", {"token": token, "value": value})
        try:
            await self.scheduler.result(uri)
        except Exception as error:  # noqa: BLE001 - logged where it happened; here only the bar ends
            logger.debug("progress of %s ends: %r", uri, error)
        finally:
            self.protocol.notify("$/progress", {"token": token, "value": {"kind": "end"}})

    def changed(self, document: Document, changes: list[Json]) -> None:
        """Plan a build of a document after `changes`; where it was edited last is what the user looks at."""
        range_ = changes[-1].get("range") if changes else None
        if range_ is not None:
            start = Places(document.lines, self.client.encoding).offset(range_["start"])
            self.look_at(document, Span(start, start))
        if self.finished_runs.forget(document.uri) and self._pushes_runs:
            self._publish(document, "[]")
        self.scheduler.changed(document)

    def closed(self, uri: str) -> None:
        """Forget a document, and take its diagnostics away."""
        document = self.documents.get(uri)
        if document is not None:
            self.collection.give_up(len(document.text))
        self.documents.close(uri)
        self.no_longer_open[uri] = None
        if len(self.no_longer_open) > MOST_CLOSED:
            del self.no_longer_open[next(iter(self.no_longer_open))]
        self.scheduler.closed(uri)
        self.caches.closed(uri)
        self.config_diagnostics.closed(uri)
        self._collect(after=_forget_others)
        self._looks.pop(uri, None)
        self._pulled_early.discard(uri)
        pushed = self.finished_runs.forget(uri) and self._pushes_runs
        timer = self._progress.pop(uri, None)
        if timer is not None:
            timer.cancel()
        if pushed or not self.client.pulls_diagnostics:
            self.protocol.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})

    def show_run(self, document: Document, report: RunReport, *, profiled: bool) -> None:
        """Show what a run of `document` found and how long its lines took, until the document changes."""
        if self.documents.get(document.uri) is document:
            self.finished_runs.take(document, report, self.client, profiled=profiled)
            self._show_again(document)

    def show_test(self, document: Document, findings: Sequence[Finding]) -> None:
        """Show what the RUN lines of `document` found, until the document changes."""
        if self.documents.get(document.uri) is document:
            self.finished_runs.take_test(document, findings, self.client)
            self._show_again(document)

    def forget_run(self, document: Document) -> None:
        """Take away what the last run of `document` has shown."""
        if self.finished_runs.forget(document.uri):
            self._show_again(document)

    def _show_again(self, document: Document) -> None:
        if self.client.refreshes_inlay_hints:
            self.spawn(self.ask("workspace/inlayHint/refresh", None))
        built = self.scheduler.current(document.uri)
        if self._pushes_runs:
            self._publish(document, "[]")
        elif self.client.pulls_diagnostics:
            self.spawn(self.ask("workspace/diagnostic/refresh", None))
        elif built is not None and built.is_whole:
            self._publish(document, built.diagnostics)

    @property
    def _pushes_runs(self) -> bool:
        """Whether what runs find is pushed, as the client pulls the rest and cannot be told to pull again."""
        return self.client.pulls_diagnostics and not self.client.refreshes_diagnostics

    def _collect(self, after: Callable[[], None] | None = None) -> None:
        if self.collection.is_due(sum(len(document.text) for document in self.documents)):
            if after is not None:
                self.builds.submit(after)
            self.builds.submit(self.collection.collect)

    def _show(self, document: Document, built: Built, is_whole: bool) -> None:
        if is_whole:
            self._end(document)
            self._collect()
            problems = built.state.resolved.problems
            self.config_diagnostics.take(document.uri, built.state.path, problems)
        if self.client.pulls_diagnostics:
            if is_whole and document.uri in self._pulled_early:
                self._pulled_early.discard(document.uri)
                self.spawn(self.ask("workspace/diagnostic/refresh", None))
            return
        self._publish(document, built.diagnostics)

    def _publish(self, document: Document, diagnostics: str) -> None:
        import json

        version = "" if document.version is None else f'"version":{document.version},'
        diagnostics = self.finished_runs.diagnostics(document, diagnostics)
        self.protocol.notify_text(
            "textDocument/publishDiagnostics",
            f'{{"uri":{json.dumps(document.uri)},{version}"diagnostics":{diagnostics}}}',
        )

    def _end(self, document: Document) -> None:
        timer = self._progress.pop(document.uri, None)
        if timer is not None:
            timer.cancel()
        self.log.message(f"analysed {document.uri} version {document.version}")
        for shown in self.caches.shown(document.uri):
            self.spawn(self.ask("workspace/textDocumentContent/refresh", {"uri": shown}))

    def document_of(self, params: Json) -> Document:
        """Return the open document that `params` name. Raises JsonRpcInvalidParams if there is none."""
        try:
            document = self.documents.get(uri := _naming(params)["textDocument"]["uri"])
        except (AttributeError, KeyError, TypeError) as error:
            raise JsonRpcInvalidParams("the parameters name no textDocument") from error
        if document is None and self.documents.was_closed(uri):
            # The request and the close were under way together: no mistake of anybody.
            raise JsonRpcContentModified(f"{uri} has been closed")
        if document is None:
            raise JsonRpcInvalidParams(f"{uri} is not open")
        return document

    async def answer(self, compute: Answer, params: Json, *, nearby: bool = False) -> Any:
        """Compute an answer from the newest analysis of the document that `params` name, on a worker.

        `nearby` says that it depends on the items around the asked place only: then it comes as soon as these
        are read; without a place, as soon as the sections of a large IR dump are known. Raises
        JsonRpcContentModified if the document changes before the answer is there.
        """
        document = self.document_of(params)
        if _naming(params).get("version", document.version) != document.version:
            raise JsonRpcContentModified("the document has changed since")
        span = _asked_span(params, Places(document.lines, self.client.encoding))
        if span is not None:
            self.look_at(document, span)
            self._show_section(document, span, is_cursor="position" in params or "context" in params)
        if nearby and span is not None:
            built = await self.scheduler.result(document.uri, lambda built: built.state.covers(span))
        elif nearby:
            built = await self.scheduler.result(document.uri, lambda built: built.state.shown is not None)
        else:
            built = await self.scheduler.result(document.uri)
        return await self._compute(compute, params, built)

    async def diagnose(self, compute: Answer, params: Json) -> Any:
        """Do what `answer` does, from the diagnostics that there are so far if the client can be made to ask
        again. A document that was closed has none, unless its whole folder is checked.

        VS Code asks once more when it closes one, and would keep showing what it had."""
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
            self._pulled_early.add(document.uri)
        return await self._compute(compute, params, built)

    async def _compute(self, compute: Answer, params: Json, built: Built) -> Any:
        loop = asyncio.get_running_loop()
        try:
            result = await self.run(
                lambda cancel: compute(self.view(built, cancel, loop), params),
                self.programs if _waits_for_program(params) else self.answers,
                lambda: self.documents.get(built.document.uri) is not built.document,
            )
        except Exception as error:
            # A build of the next version may have patched the IR that `compute` was looking at.
            if self.documents.get(built.document.uri) is not built.document:
                raise JsonRpcContentModified("the document has changed") from error
            raise
        if self.documents.get(built.document.uri) is not built.document:
            raise JsonRpcContentModified("the document has changed")
        return result

    @asynccontextmanager
    async def progress(self, token: str | int | None, title: str) -> AsyncGenerator[Callable[[str], None]]:
        """Show progress under a token of the client's, by which it can cancel; without a token, none.

        Yields a function that reports what is being looked at, from whatever thread.
        """
        task = asyncio.current_task()
        if token is None or task is None:
            yield lambda message: None
            return
        loop = asyncio.get_running_loop()

        def send(value: Json) -> None:
            self.protocol.notify("$/progress", {"token": token, "value": value})

        def report(message: str) -> None:
            loop.call_soon_threadsafe(send, {"kind": "report", "message": message})

        self.cancellable[token] = task
        send({"kind": "begin", "title": title, "cancellable": True})
        try:
            yield report
        finally:
            del self.cancellable[token]
            send({"kind": "end"})

    def view(self, built: Built, cancel: Cancel, loop: asyncio.AbstractEventLoop) -> View:
        """Return what answers are computed from; `loop` is the one of this session."""

        def warn(message: str) -> None:
            loop.call_soon_threadsafe(self._warn, message)

        return View(
            built.document,
            built.state,
            built.places,
            self.client,
            self.configuration.options_for(built.document.uri),
            cancel,
            built.diagnostics
            if self._pushes_runs
            else self.finished_runs.diagnostics(built.document, built.diagnostics),
            self.finished_runs.timings(built.document),
            self.caches,
            warn,
        )

    def _warn(self, message: str) -> None:
        self.protocol.notify("window/showMessage", {"type": _WARNING, "message": message})

    async def run(
        self,
        work: Callable[[Cancel], T],
        executor: DaemonExecutor | None = None,
        is_stale: Callable[[], bool] = lambda: False,
    ) -> T:
        """Run `work` on a thread of `executor` (default: `answers`).

        When the request is cancelled, so is `work`, when it next looks; it raises Cancelled also when
        `is_stale` says that nobody wants its result any more.
        """
        from gpuasync_lsp.ide.document.cancel import Cancel

        cancel = Cancel(threading.Event())

        def cancellably() -> T:
            with cancellable(lambda: cancel.is_set or is_stale()):
                cancel.check()
                return work(cancel)

        try:
            return await asyncio.wrap_future((executor or self.answers).submit(cancellably))
        except asyncio.CancelledError:
            cancel.set()
            raise


def _naming(params: Json) -> Json:
    """Return the part that names the document: what is resolved later carries it in its `data`."""
    return params.get("data") or params.get("item", {}).get("data") or params


def _waits_for_program(params: Json) -> bool:
    """Tell whether what is asked for is made by a compiler or the user's mlir-opt, as some previews are."""
    return params.get("stage") == "ptx" or bool(params.get("engine") or params.get("compare"))


def _asked_span(params: Json, places: Places) -> Span | None:
    """Return the place that a request is about, or None if it is about the whole document."""
    range_, position = params.get("range"), params.get("position")
    try:
        if range_ is not None:
            return places.span(range_)
        if position is None:
            return None
        offset = places.offset(position)
    except (AttributeError, KeyError, TypeError):
        return None  # The method has no such parameter: those that have it were looked at before.
    return Span(offset, offset)


_WARNING = 2
"""`MessageType.Warning`."""

_tasks: set[asyncio.Future[Any]] = set()


def path_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI, or None for what is not, or cannot be, on disk."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
        if not path or "\0" in path or any(len(os.fsencode(part)) > 255 for part in path.split("/")):
            return None
    except ValueError:
        return None
    return Path(path) if os.path.isabs(path) and len(path) < 4096 else None


def _forget_others() -> None:
    """Forget the models that hover has asked for. Runs on a worker: it brings xDSL."""
    from gpuasync_lsp.analysis import forget_others

    forget_others()
