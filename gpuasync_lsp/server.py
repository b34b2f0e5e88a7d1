"""The language server: which method is answered by what, and the transports.

Each entry of `ANSWERS` names a function that computes an answer from the analysis of a document; it is
imported when it is first asked for. The life cycle, documents and settings are in `lsp/wiring.py`.
Nothing that costs time is imported before the client has its answer to `initialize`, pygls included.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from gpuasync_lsp.lsp.handshake import shake_hands
from gpuasync_lsp.lsp.transport import Sink, Source
from gpuasync_lsp.lsp.watchdog import start_watchdog

if TYPE_CHECKING:
    import socket

    from gpuasync_lsp.lsp.wiring import Server

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
    "gpuasync/lowering": "preview:lowering",
    "gpuasync/streams": "streams:streams",
    "gpuasync/target": "target:target",
}
"""Each request about one document, and the function below `gpuasync_lsp.lsp.answers` that answers it."""

NEARBY = frozenset(
    {
        "textDocument/hover",
        "textDocument/inlayHint",
        "textDocument/semanticTokens/range",
        "textDocument/signatureHelp",
    }
)
"""Requests whose answers depend on the items around a place only: these do not wait for the whole file."""

WORKSPACE = {
    "workspace/diagnostic": "workspace:diagnostics",
    "workspace/symbol": "workspace:symbols",
    "workspace/textDocumentContent": "virtual:content",
}
"""Each request about the workspace, and the coroutine that answers it."""

COMMANDS = {
    "gpuasync.preview": "preview:preview_command",
    "gpuasync.run": "run:run_command",
    "gpuasync.streams": "streams:streams_command",
}
"""Each command of `workspace/executeCommand`, and the function that runs it."""


def main(tcp: tuple[str, int] | None = None) -> int:
    """Serve one client on standard input and output, or on the TCP address; return the exit code."""
    if tcp is not None:
        return _serve_tcp(*tcp)
    # What a library or a program prints must not end up between the messages, nor may it read them.
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    code = _serve(source, Sink(sink))
    return 1 if code is None else code


def _serve_tcp(host: str, port: int) -> int:
    """Serve the first client that connects and speaks LSP; whoever speaks something else is sent away."""
    import socket

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1)
    except OSError as error:
        print(f"gpuasync-lsp: error: cannot listen on {host}:{port}: {error.strerror}", file=sys.stderr)
        return 2
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            code = _serve(connection.fileno(), Sink(connection.fileno()), listener)
            if code is not None:
                return code


def _serve(descriptor: int, sink: Sink, listener: socket.socket | None = None) -> int | None:
    """Serve one client; return the exit code, or None if it has not come to a session."""
    source = Source(descriptor, strict=listener is not None)
    params = shake_hands(source, sink)
    if params is None:
        return None
    if listener is not None:
        listener.close()  # one client
    start_watchdog(descriptor, params.get("processId"))
    server = _server()
    server.session.initialize(params)
    return server.serve(source, sink)


def _server() -> Server:
    # Collecting garbage while pygls and lsprotocol are imported finds none; frozen, what they made is never
    # looked at again when the IR of a large file makes the collector run.
    gc.disable()
    from gpuasync_lsp.lsp.wiring import make_server

    server = make_server(ANSWERS, NEARBY, WORKSPACE, COMMANDS)
    gc.freeze()
    gc.enable()
    # A build holds the interpreter; let answers in sooner than after the default of 5 ms.
    sys.setswitchinterval(0.001)
    return server
