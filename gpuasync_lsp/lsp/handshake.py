"""The `initialize` request, answered before pygls is imported.

pygls and its dependencies take a tenth of a second to import. The client sends nothing else until
`initialize` is answered, and the answer does not require pygls. So only the standard library is used for the
answer, and pygls is imported while the client opens its documents.
"""

from __future__ import annotations

import json

from gpuasync_lsp import __version__
from gpuasync_lsp.lsp.capabilities import server_capabilities
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.frames import Malformed
from gpuasync_lsp.lsp.messages import (
    INVALID_PARAMS,
    PARSE_ERROR,
    SERVER_NOT_INITIALIZED,
    Fault,
    Message,
    Notification,
    Request,
    read_message,
)
from gpuasync_lsp.lsp.transport import Sender, Sink, Source
from gpuasync_lsp.text.plain_json import Json, is_list, is_object


def shake_hands(source: Source, sink: Sink) -> Json | None:
    """Read messages up to `initialize` and answer it; return its parameters.

    None if the client disconnects or sends `exit` first.
    """
    while (frame := source.next()) is not None:
        message = Fault(PARSE_ERROR, frame.message) if isinstance(frame, Malformed) else read_message(frame)
        if isinstance(message, Notification) and message.method == "exit":
            return None
        params = greet(message, sink)
        if params is not None:
            return params
    return None


def greet(message: Message, sender: Sender) -> Json | None:
    """Answer a message that precedes the session; return its parameters if it is `initialize`."""
    if isinstance(message, Request):
        params = message.params
        problem = _mistake(params)
        if message.method != "initialize":
            message = Fault(SERVER_NOT_INITIALIZED, "send initialize first", message.id)
        elif problem is not None:
            message = Fault(INVALID_PARAMS, problem, message.id)
        else:
            answer = {"jsonrpc": "2.0", "id": message.id, "result": initialize_result(params)}
            sender.send(json.dumps(answer, separators=(",", ":")))
            return params
    if isinstance(message, Fault):
        sender.send(json.dumps(message.answer(), separators=(",", ":")))
    return None


def initialize_result(params: Json) -> Json:
    """Return the `InitializeResult` for a client."""
    return {
        "capabilities": server_capabilities(Client.of(params)),
        "serverInfo": {"name": "gpuasync-lsp", "version": __version__},
    }


def _mistake(params: object) -> str | None:
    """Return the first error in those parameters of `initialize` that the server uses."""
    if not is_object(params):
        return "params: an object is expected"
    given = params
    if type(given.get("processId")) not in (int, type(None)):
        return "params.processId: an integer or null is expected"
    if not isinstance(given.get("capabilities") or {}, dict):
        return "params.capabilities: an object is expected"
    if not isinstance(given.get("rootUri") or "", str):
        return "params.rootUri: a string or null is expected"
    folders: object = given.get("workspaceFolders") or []
    if not is_list(folders) or not all(
        is_object(folder) and isinstance(folder.get("uri"), str) for folder in folders
    ):
        return "params.workspaceFolders: folders with a uri each, or null, are expected"
    return None
