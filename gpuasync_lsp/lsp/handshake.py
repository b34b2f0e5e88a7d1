"""The `initialize` request, answered before pygls is there.

lsprotocol makes some 500 classes on import, which takes a quarter of a second. A client waits for the answer
to `initialize` with everything else, and the answer needs none of them; so it is given first, with the
standard library alone, and the import happens while the client opens its documents.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from gpuasync_lsp import __version__
from gpuasync_lsp.lsp.capabilities import server_capabilities
from gpuasync_lsp.lsp.client import Client

Json = dict[str, Any]

SERVER_NOT_INITIALIZED = -32002


def shake_hands(source: BinaryIO, sink: BinaryIO) -> Json | None:
    """Read up to the `initialize` request and answer it; return its parameters.

    None if the client leaves before: the connection ended, or it sent `exit`.
    """
    while (message := read_message(source)) is not None:
        method = message.get("method")
        if method == "exit":
            return None
        if "id" not in message:
            continue
        answer: Json = {"jsonrpc": "2.0", "id": message["id"]}
        if method != "initialize":
            answer["error"] = {"code": SERVER_NOT_INITIALIZED, "message": "send initialize first"}
            write_message(sink, answer)
            continue
        params: Json = message.get("params") or {}
        answer["result"] = initialize_result(params)
        write_message(sink, answer)
        return params
    return None


def initialize_result(params: Json) -> Json:
    """Return the `InitializeResult` for a client."""
    return {
        "capabilities": server_capabilities(Client.of(params)),
        "serverInfo": {"name": "gpuasync-lsp", "version": __version__},
    }


def read_message(source: BinaryIO) -> Json | None:
    """Read one message; None at the end of the stream."""
    length = 0
    while (line := source.readline()).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    body = source.read(length) if line else b""
    return json.loads(body) if body else None


def write_message(sink: BinaryIO, message: Json) -> None:
    """Write one message."""
    body = json.dumps(message, separators=(",", ":")).encode()
    sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sink.flush()
