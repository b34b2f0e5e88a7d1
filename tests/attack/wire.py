"""A server of its own for a test, spoken to in bytes."""

from __future__ import annotations

import json
import select
import subprocess
import time
from types import TracebackType
from typing import Any

from tests.lsp.editor import SERVER

TIMEOUT = 60.0

URI = "file:///attack.mlir"


class Wire:
    """A running `gpuasync-lsp --stdio`; what it says is read as it is asked for."""

    def __init__(self, **initialize: Any) -> None:
        self.server = subprocess.Popen(
            [SERVER, "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.said: list[dict[str, Any]] = []
        self._buffer = b""
        self._ids = 1000
        if initialize.pop("start", True):
            params = {"processId": None, "rootUri": None, "capabilities": {}, **initialize}
            assert "result" in self.ask("initialize", params)
            self.tell("initialized", {})

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.kill()
        self.server.wait()
        for pipe in (self.server.stdin, self.server.stdout):
            if pipe is not None:
                pipe.close()

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.server.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.server.stdin.write(view) :]

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.write(frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def open(self, text: str, uri: str = URI) -> None:
        """Open a document."""
        document = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def send(self, method: str, params: Any) -> int:
        """Send a request; return its id."""
        self._ids += 1
        self.write(frame({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}))
        return self._ids

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request and return the message that answers it."""
        return self.answer(self.send(method, params))

    def answer(self, msg_id: int | None, timeout: float = TIMEOUT) -> dict[str, Any]:
        """Return the answer to a request, waiting for it."""
        deadline = time.monotonic() + timeout
        for message in self.said:
            if "method" not in message and message.get("id") == msg_id:
                self.said.remove(message)
                return message
        while True:
            message = self.read(deadline)
            if "method" not in message and message.get("id") == msg_id:
                self.said.remove(message)
                return message

    def read(self, deadline: float) -> dict[str, Any]:
        """Return the next message, whatever it is; it is kept in `said`, too."""
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            length = int(head.split(b":")[1]) if found else 0
            if found and len(rest) >= length:
                self._buffer = rest[length:]
                self.said.append(json.loads(rest[:length]))
                return self.said[-1]
            assert self.server.stdout is not None
            left = deadline - time.monotonic()
            assert left > 0, "the server does not answer"
            if select.select([self.server.stdout], [], [], left)[0]:
                data = self.server.stdout.read(1 << 16)
                assert data, f"the server has ended: {self.server.wait(5)}"
                self._buffer += data


def frame(message: Any) -> bytes:
    """Return a message with its header; bytes are taken as they are."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
