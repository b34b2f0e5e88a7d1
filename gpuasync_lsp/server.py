"""The language server's table of methods, and its transports.

Each entry of `ANSWERS` names a function that computes an answer from the analysis of a document, imported on
first use. Life cycle, documents and settings are in `lsp/wiring.py`. The answer to `initialize` waits for no
slow import, pygls included.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from gpuasync_lsp.lsp.handshake import greet, shake_hands
from gpuasync_lsp.lsp.messages import read_message
from gpuasync_lsp.lsp.transport import Sink, Source
from gpuasync_lsp.lsp.watchdog import start_watchdog
from gpuasync_lsp.output import print_text
from gpuasync_lsp.stack import set_stack_size

if TYPE_CHECKING:
    from gpuasync_lsp.lsp.wiring import Server
    from gpuasync_lsp.lsp.workers import Workers

ANSWERS = {
    "callHierarchy/incomingCalls": "structure:incoming_calls",
    "callHierarchy/outgoingCalls": "structure:outgoing_calls",
    "codeAction/resolve": "actions:resolve_action",
    "completionItem/resolve": "writing:resolve_completion",
    "textDocument/codeAction": "actions:code_actions",
    "textDocument/codeLens": "decorations:code_lenses",
    "textDocument/completion": "writing:completion",
    "textDocument/declaration": "navigation:declaration",
    "textDocument/definition": "navigation:definition",
    "textDocument/diagnostic": "pull:document_diagnostics",
    "textDocument/documentHighlight": "navigation:highlights",
    "textDocument/documentLink": "structure:document_links",
    "textDocument/documentSymbol": "structure:document_symbols",
    "textDocument/foldingRange": "structure:folding_ranges",
    "textDocument/formatting": "writing:formatting",
    "textDocument/hover": "hover:hover",
    "textDocument/inlayHint": "decorations:inlay_hints",
    "textDocument/linkedEditingRange": "navigation:linked_editing",
    "textDocument/onTypeFormatting": "writing:on_type_formatting",
    "textDocument/prepareCallHierarchy": "structure:prepare_calls",
    "textDocument/prepareRename": "navigation:prepare_rename",
    "textDocument/rangeFormatting": "writing:range_formatting",
    "textDocument/references": "navigation:references",
    "textDocument/rename": "navigation:rename",
    "textDocument/selectionRange": "structure:selection_ranges",
    "textDocument/semanticTokens/full": "decorations:tokens_full",
    "textDocument/semanticTokens/full/delta": "decorations:tokens_delta",
    "textDocument/semanticTokens/range": "decorations:tokens_range",
    "textDocument/signatureHelp": "writing:signature_help",
    "textDocument/typeDefinition": "navigation:type_definition",
    "gpuasync/passDifference": "passes:difference",
    "gpuasync/passes": "passes:passes",
    "gpuasync/streams": "streams:streams",
    "gpuasync/target": "target:target",
}
"""Maps requests answered from one document's analysis to their functions in `gpuasync_lsp.lsp.answers`."""

NEARBY = frozenset(
    {
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/hover",
        "textDocument/inlayHint",
        "textDocument/semanticTokens/range",
        "textDocument/signatureHelp",
    }
)
"""Requests whose answers depend only on the items around a position; they do not wait for the whole file.

Requests about a whole file do not wait for the contents of a large IR dump's sections."""

AT_ONCE = frozenset(
    {
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
        "textDocument/completion",
        "textDocument/declaration",
        "textDocument/definition",
        "textDocument/documentHighlight",
        "textDocument/documentLink",
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/formatting",
        "textDocument/hover",
        "textDocument/linkedEditingRange",
        "textDocument/onTypeFormatting",
        "textDocument/prepareCallHierarchy",
        "textDocument/prepareRename",
        "textDocument/rangeFormatting",
        "textDocument/references",
        "textDocument/rename",
        "textDocument/selectionRange",
        "textDocument/signatureHelp",
        "textDocument/typeDefinition",
    }
)
"""Requests that do not wait for the models of a large function that is being edited.

They need no models, or omit the results that depend on models (`FileState.models_at_once`). For all other
requests, an editor keeps and moves the previous answer."""

BY_SESSION = {
    "gpuasync/lowering": "preview:lowering_in_parts",
    "workspace/diagnostic": "workspace:diagnostics",
    "workspace/symbol": "workspace:symbols",
    "workspace/textDocumentContent": "virtual:content",
}
"""Maps requests that need other documents, or an analysis in progress, to the coroutines that answer them."""

COMMANDS = {
    "gpuasync.passes": "passes:passes_command",
    "gpuasync.preview": "preview:preview_command",
    "gpuasync.run": "run:run_command",
    "gpuasync.streams": "streams:streams_command",
    "gpuasync.test": "test:test_command",
    "gpuasync.updateChecks": "test:update_checks_command",
}
"""Maps the commands of `workspace/executeCommand` to the functions that run them."""


NO_PROGRAMS = "a browser cannot; `gpuasync-lsp run --device cpu FILE` in a terminal runs it"


def main(tcp: tuple[str, int] | None = None) -> int:
    """Serve one client on standard input and output, or on the TCP address; return the exit code."""
    set_stack_size()
    if tcp is not None:
        return _serve_tcp(*tcp)
    # Libraries and child processes must neither print between the messages nor read the messages.
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return _serve(source, Sink(sink))


def _serve_tcp(host: str, port: int) -> int:
    """Serve the first client that connects and sends an LSP header; start no programs for it."""
    from gpuasync_lsp.lsp.tcp import accept, listen
    from gpuasync_lsp.processes import disable_starts

    disable_starts("a client over TCP is not authenticated")
    try:
        listener = listen(host, port)
    except ValueError as error:
        print_text(f"gpuasync-lsp: error: {error}", error=True)
        return 2
    except OSError as error:
        print_text(f"gpuasync-lsp: error: cannot listen on {host}:{port}: {error.strerror}", error=True)
        return 2
    print_text(f"gpuasync-lsp: listening on port {listener.getsockname()[1]}", error=True, flush=True)
    connection, first_bytes = accept(listener)
    with connection:
        return _serve(connection.fileno(), Sink(connection.fileno()), first_bytes)


def _serve(descriptor: int, sink: Sink, first_bytes: bytes = b"") -> int:
    """Serve one client, given its first bytes; return the exit code."""
    source = Source(descriptor, first_bytes)
    made: list[Server] = []

    def make() -> None:
        from gpuasync_lsp.lsp.workers import on_threads

        made.append(_server(on_threads()))

    def make_early() -> None:
        make()
        from gpuasync_lsp.lsp.wiring import warm_up

        warm_up(lambda: not waits.finished.is_set())

    # VS Code starts the server while it loads extensions, long before it can send `initialize`.
    waits = threading.Timer(0.02, make_early)
    waits.start()
    params = shake_hands(source, sink)
    waits.cancel()
    waits.join()
    if params is None:
        return 1
    start_watchdog(descriptor, params.get("processId"))
    if not made:
        make()
    made[0].session.initialize(params)
    return made[0].serve(source, sink)


class Messages:
    """A session without threads or processes, for clients that exchange whole messages, such as web pages.

    Everything runs on the event loop of the thread that creates it."""

    def __init__(self, post: Callable[[str], None]) -> None:
        """Create a session; `post` is called with each message to the client."""
        from gpuasync_lsp.lsp.workers import on_event_loop
        from gpuasync_lsp.processes import disable_starts

        disable_starts(NO_PROGRAMS)
        self._post = post
        self._server = _server(on_event_loop())
        self._is_greeted = False

    def send(self, body: str) -> None:
        """Send a message to the client."""
        self._post(body)

    def receive(self, message: str) -> None:
        """Handle a message of the client."""
        body = message.encode("utf-8", "replace")
        session = self._server.session
        if self._is_greeted:
            session.protocol.receive(body)
        elif (params := greet(read_message(body), self)) is not None:
            self._is_greeted = True
            session.protocol.sink = self
            session.initialize(params)


def _server(workers: Workers) -> Server:
    # Collections during the import of pygls and lsprotocol find no garbage. Once frozen, their objects are
    # not examined when the IR of a large file triggers the collector.
    gc.disable()
    from gpuasync_lsp.lsp.types_later import import_types

    import_types()
    from gpuasync_lsp.lsp.wiring import make_server

    server = make_server(ANSWERS, NEARBY, AT_ONCE, BY_SESSION, COMMANDS, workers)
    gc.freeze()
    gc.enable()
    # A build holds the interpreter lock; let answers interrupt it sooner than after the default of 5 ms.
    sys.setswitchinterval(0.001)
    return server
