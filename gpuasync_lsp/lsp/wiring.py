"""Connects the life cycle, documents, settings, and one guarded handler per method to pygls."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcContentModified,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
)
from pygls.lsp.server import LanguageServer

from gpuasync_lsp import __version__
from gpuasync_lsp.lsp.logs import ClientLog
from gpuasync_lsp.lsp.protocol import JsonProtocol
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.shapes import mistake
from gpuasync_lsp.lsp.transport import Sink, Source
from gpuasync_lsp.lsp.workers import DaemonExecutor, Workers
from gpuasync_lsp.text import defects
from gpuasync_lsp.text.collector import no_collection
from gpuasync_lsp.text.plain_json import Json, is_object

Handler = Callable[[Json], Awaitable[Any]]

logger = logging.getLogger(__name__)


class Server(LanguageServer):
    """pygls' server with our protocol and one session."""

    def __init__(self, workers: Workers) -> None:
        # An empty converter, since this server uses plain JSON, and lsprotocol's converter takes 0.25 s to
        # build.
        options: Any = {"protocol_cls": JsonProtocol, "converter_factory": Converter}
        super().__init__("gpuasync-lsp", __version__, **options)  # pyright: ignore[reportUnknownMemberType]
        assert isinstance(self.protocol, JsonProtocol)
        self.session = Session(self.protocol, ClientLog(self.protocol), workers)

    def serve(self, source: Source, sink: Sink) -> int:
        """Serve an initialized client until it disconnects; return the exit code."""
        try:
            asyncio.run(self._serve(source, sink))
        except KeyboardInterrupt:
            return 130
        sink.flush()
        return self.session.protocol.exit_code

    async def _serve(self, source: Source, sink: Sink) -> None:
        protocol = self.session.protocol
        protocol.sink = sink
        loop = asyncio.get_running_loop()
        lost = loop.create_future()

        def on_loss() -> None:
            with suppress(RuntimeError):  # The loop is closed after the session.
                loop.call_soon_threadsafe(lost.cancel)

        sink.on_loss = on_loss
        # A separate thread that is never joined, since the client may leave the input open.
        reader = DaemonExecutor("input", 1)
        while not protocol.has_exited and not sink.is_lost:
            frame = source.ready()
            if frame is None:
                more = asyncio.wrap_future(reader.submit(source.read))
                await asyncio.wait({more, lost}, return_when=asyncio.FIRST_COMPLETED)
                if not more.done() or not more.result():
                    return
                continue
            protocol.receive(frame)
            while sink.is_full:
                await asyncio.sleep(0.05)
            # Start requests and send answers between the messages of a burst.
            await asyncio.sleep(0)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an exception of a handler. (pygls would show exceptions of its own types to the user.)

        Expected errors, such as a document that was edited meanwhile, are logged at debug level only.
        `source` is `FeatureRequestError` for requests.
        """
        is_answered = source is FeatureRequestError and isinstance(error, JsonRpcException)
        is_defect = isinstance(error, JsonRpcInternalError)
        logger.log(logging.DEBUG if is_answered and not is_defect else logging.ERROR, "%s", error)


def make_server(
    answers: Mapping[str, str],
    nearby: Collection[str],
    at_once: Collection[str],
    by_session: Mapping[str, str],
    commands: Mapping[str, str],
    workers: Workers,
) -> Server:
    """Return a server that is ready to start; see `server.py` for the tables."""
    server = Server(workers)
    session = server.session
    _life_cycle(server, session)
    _documents(server, session)
    _workspace(server, session)
    for method, where in answers.items():
        answer = _answer(session, method, where, nearby=method in nearby, at_once=method in at_once)
        server.feature(method)(_guarded(method, answer))
    for method, where in by_session.items():
        server.feature(method)(_guarded(method, _by_session(session, where)))
    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(
        _guarded(types.WORKSPACE_EXECUTE_COMMAND, _commands(session, commands))
    )
    return server


def _life_cycle(server: Server, session: Session) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(params: Json) -> None:
        session.log.attach()
        session.imports = _begin_imports(session)
        session.outgoing.spawn(_register(session))

    @server.feature(types.SET_TRACE)
    def set_trace(params: Json) -> None:
        session.log.set_trace(params["value"])

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel_progress(params: Json) -> None:
        session.progress.cancel(params["token"])


def _documents(server: Server, session: Session) -> None:
    # Not coroutines, since an `async def` didChange could be overtaken by the next one.
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: Json) -> None:
        session.opened(session.documents.open(params["textDocument"]))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: Json) -> None:
        changes: list[Json] = params["contentChanges"]
        if (uri := params["textDocument"]["uri"]) in session.documents:
            session.changed(session.documents.change(params["textDocument"], changes), changes)
        elif not session.documents.was_closed(uri):  # VS Code empties a reverted document after closing it.
            logger.warning("didChange: %s is not open", uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: Json) -> None:
        session.log.message(f"saved {params['textDocument']['uri']}")

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: Json) -> None:
        session.closed(params["textDocument"]["uri"])


def _workspace(server: Server, session: Session) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: Json) -> None:
        settings = params.get("settings")
        if is_object(settings) and settings and not session.client.pulls_configuration:
            _configure(session, settings)
        else:
            session.outgoing.spawn(_pull_configuration(session))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: Json) -> None:
        names = {change["uri"].rsplit("/", 1)[-1] for change in params["changes"]}
        if names & {"gpuasync.toml", "pyproject.toml"}:
            session.configuration.changed()
            session.rebuild()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: Json) -> None:
        added: list[Json] = params["event"].get("added") or []
        removed: list[Json] = params["event"].get("removed") or []
        gone = {folder["uri"] for folder in removed}
        session.folders = [uri for uri in session.folders if uri not in gone]
        session.folders += [folder["uri"] for folder in added]
        session.outgoing.spawn(_pull_configuration(session))


async def _register(session: Session) -> None:
    """Register for changes of settings and configuration files, and fetch the settings."""
    registrations: list[Json] = []
    if session.client.registers_configuration:
        registrations.append(
            {
                "id": "gpuasync-configuration",
                "method": types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                "registerOptions": {"section": "gpuasync"},
            }
        )
    if session.client.registers_watched_files:
        patterns = ["**/gpuasync.toml", "**/pyproject.toml", "**/*.mlir"]
        registrations.append(
            {
                "id": "gpuasync-files",
                "method": types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                "registerOptions": {"watchers": [{"globPattern": pattern} for pattern in patterns]},
            }
        )
    if registrations:
        await session.outgoing.ask(types.CLIENT_REGISTER_CAPABILITY, {"registrations": registrations})
    if session.client.pulls_configuration:
        await _pull_configuration(session)


async def _pull_configuration(session: Session) -> None:
    """Fetch the settings of the session, and of each folder if there are several."""
    if not session.client.pulls_configuration:
        return
    folders = session.folders if len(session.folders) > 1 else []
    items: list[Json] = [{"section": "gpuasync"}]
    items += [{"scopeUri": uri, "section": "gpuasync"} for uri in folders]
    values: list[object] = await session.outgoing.ask(types.WORKSPACE_CONFIGURATION, {"items": items}) or []
    # null means that the client has no settings for this server, so those of `initialize` remain in effect.
    new = bool(values) and is_object(values[0]) and session.configuration.take(values[0])
    own = {uri: value for uri, value in zip(folders, values[1:], strict=False) if is_object(value)}
    if session.configuration.take_folders(own) or new:
        session.rebuild()


def _configure(session: Session, settings: Json) -> None:
    if session.configuration.take(settings):
        session.rebuild()


_ASKED_FIRST = ("pull", "structure", "decorations", "target", "actions")
"""The modules in `lsp.answers` for what editors request as soon as a document is open."""


def warm_up(has_time: Callable[[], bool]) -> None:
    """Import the modules that the first document needs, and those of the first answers while `has_time`."""
    with no_collection():
        importlib.import_module("gpuasync_lsp.ide.document.state")
        for module in _ASKED_FIRST:
            if has_time():
                importlib.import_module(f"gpuasync_lsp.lsp.answers.{module}")


def _begin_imports(session: Session) -> Future[None]:
    return session.workers.builds.submit(warm_up, lambda: not [*session.documents])


async def _load(session: Session, where: str) -> Any:
    """Import the function named by `where` after the first document's imports have finished.

    If two threads import the same modules in different orders, they wait for each other, and Python breaks
    the deadlock by returning a partially initialized module. An import blocks the event loop, so diagnostics
    that the client has requested are answered before."""
    if session.imports is None:  # The client never sent `initialized`.
        session.imports = _begin_imports(session)
    if not session.imports.done():
        await asyncio.shield(asyncio.wrap_future(session.imports))
    module, _, name = where.partition(":")
    is_loaded = f"gpuasync_lsp.lsp.answers.{module}" in sys.modules
    if module != "pull" and session.pulls and not is_loaded:
        await asyncio.wait(session.pulls)
    with session.scheduler.urgent():
        return getattr(importlib.import_module(f"gpuasync_lsp.lsp.answers.{module}"), name)


def _answer(session: Session, method: str, where: str, *, nearby: bool, at_once: bool) -> Handler:
    async def handler(params: Json) -> Any:
        if method.endswith("/resolve") and "data" not in params:
            return params  # There is nothing to resolve.
        compute = await _load(session, where)
        return await session.answer(compute, params, nearby=nearby, at_once=at_once)

    async def diagnose(params: Json) -> Any:
        pull = asyncio.get_running_loop().create_future()
        if session.client.refreshes_diagnostics:  # The answer does not wait for the whole of a large file.
            session.pulls.add(pull)
        try:
            return await session.diagnose(await _load(session, where), params)
        except JsonRpcContentModified as error:
            # Clients treat ContentModified as an empty result.
            raise JsonRpcException(
                error.message, types.LSPErrorCodes.ServerCancelled.value, {"retriggerRequest": True}
            ) from error
        finally:
            session.pulls.discard(pull)
            pull.set_result(None)

    return diagnose if method == types.TEXT_DOCUMENT_DIAGNOSTIC else handler


def _by_session(session: Session, where: str) -> Handler:
    async def handler(params: Json) -> Any:
        return await (await _load(session, where))(session, params)

    return handler


def _commands(session: Session, commands: Mapping[str, str]) -> Handler:
    async def handler(params: Json) -> Any:
        where = commands.get(params["command"])
        if where is None:
            raise JsonRpcInvalidParams(f"there is no command {params['command']!r}")
        return await (await _load(session, where))(session, params)

    return handler


def _guarded(method: str, handler: Handler) -> Handler:
    """Wrap `handler` so that an exception fails only one request and is logged with the parameters."""

    async def guarded(params: Any) -> Any:
        try:
            defects.at_boundary(f"the answer to {method}")
            return await handler(params)
        except (asyncio.CancelledError, JsonRpcException):
            raise
        except Exception as error:
            problem = mistake(method, params, complete=True)
            if problem is not None:
                raise JsonRpcInvalidParams(f"{method}: {problem}") from error
            logger.exception("%s failed for %r", method, params)
            raise JsonRpcInternalError(f"{method}: {error!r}; see the log") from error

    return guarded
