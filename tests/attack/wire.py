"""Starts a server as a process, with a client whose messages a test controls byte by byte."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

Json = dict[str, Any]

TIMEOUT = 60.0

SERVER = (sys.executable, "-P", "-m", "gpuasync_lsp", "--stdio")

URI = "file:///attack.mlir"


class Wire:
    """A running server, whose messages are read on demand.

    It is started in `folder`, without the user's configuration. A request of the server is answered by
    the function in `answers` for its method, or else with null. `initialize` are parameters of that
    request; with `start=False` the test must send it.
    """

    def __init__(
        self,
        folder: Path | None = None,
        answers: Mapping[str, Callable[[Json], Any]] | None = None,
        *,
        command: Sequence[str] = SERVER,
        environment: Mapping[str, str] | None = None,
        start: bool = True,
        **initialize: Any,
    ) -> None:
        own = {"XDG_CONFIG_HOME": str(folder / ".no-config")} if folder is not None else {}
        self.server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=folder,
            env={**os.environ, **own, **(environment or {})},
        )
        self.said: list[Json] = []
        """Messages that were read but not yet returned by `until`."""
        self._answers = dict(answers or {})
        self._buffer = b""
        self._ids = 1000
        if start:
            self.start(**initialize)

    def start(self, **params: Any) -> None:
        """Send `initialize` and `initialized`."""
        params = {"processId": None, "rootUri": None, "capabilities": {}, **params}
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
        """Send bytes without a header."""
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

    def diagnosed(self, text: str, uri: str = URI) -> list[Json]:
        """Open a document, and wait for its diagnostics."""
        self.open(text, uri)
        shown = "textDocument/publishDiagnostics"
        message = self.until(lambda m: m.get("method") == shown and m["params"]["uri"] == uri)
        return message["params"]["diagnostics"]

    def run(self, uri: str = URI, **arguments: Any) -> int:
        """Request a run on the CPU; return the request's id."""
        argument = {"uri": uri, "device": "cpu", **arguments}
        return self.send("workspace/executeCommand", {"command": "gpuasync.run", "arguments": [argument]})

    def send(self, method: str, params: Any) -> int:
        """Send a request; return its id."""
        self._ids += 1
        self.write(frame({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}))
        return self._ids

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request and return the response."""
        return self.answer(self.send(method, params))

    def children(self) -> list[str]:
        """Return the commands of the server's child processes, without its watchdog; empty except on
        Linux."""
        found = Path(f"/proc/{self.server.pid}/task").glob("*/children")
        processes = [child for file in found for child in file.read_text().split()]
        commands = [Path(f"/proc/{process}/cmdline").read_text() for process in processes]
        return [command for command in commands if "--stdio" not in command]

    def answer(self, msg_id: int | None, timeout: float = TIMEOUT) -> dict[str, Any]:
        """Wait for the response to a request, and return it."""
        return self.until(lambda m: "method" not in m and m.get("id") == msg_id, timeout)

    def until(self, wanted: Callable[[Json], bool], timeout: float = TIMEOUT) -> Json:
        """Return the first message that `wanted` accepts, and remove it from `said`."""
        deadline = time.monotonic() + timeout
        message = next((message for message in self.said if wanted(message)), None)
        while message is None:
            read = self.read(deadline)
            message = read if wanted(read) else None
        self.said.remove(message)
        return message

    def read(self, deadline: float) -> dict[str, Any]:
        """Read and return the next message; store it in `said`, and answer it if it is a request."""
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            length = int(head.split(b":")[1]) if found else 0
            if found and len(rest) >= length:
                self._buffer = rest[length:]
                message = json.loads(rest[:length])
                self.said.append(message)
                if "method" in message and "id" in message:
                    reply = self._answers.get(message["method"], lambda params: None)
                    result = reply(message.get("params") or {})
                    self.write(frame({"jsonrpc": "2.0", "id": message["id"], "result": result}))
                return message
            assert self.server.stdout is not None
            left = deadline - time.monotonic()
            assert left > 0, "the server does not answer"
            if select.select([self.server.stdout], [], [], left)[0]:
                data = self.server.stdout.read(1 << 16)
                assert data, f"the server has ended: {self.server.wait(5)}"
                self._buffer += data


def frame(message: Any) -> bytes:
    """Return a message with its header; bytes are used as the body unchanged."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
