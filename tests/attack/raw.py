"""A server as a process of its own, and a client that says what a test wants it to say."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

Json = dict[str, Any]

TIMEOUT = 60.0
SERVER = (sys.executable, "-P", "-m", "gpuasync_lsp", "--stdio")


class RawClient:
    """Starts a server in `folder`; what it asks is answered by `answers`, from the method to the result."""

    def __init__(
        self,
        folder: Path,
        answers: Mapping[str, Callable[[Json], Any]] | None = None,
        *,
        command: tuple[str, ...] = SERVER,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "XDG_CONFIG_HOME": str(folder / ".no-config"), **(environment or {})},
        )
        self.messages: list[Json] = []
        self._answers = dict(answers or {})
        self._arrived: queue.Queue[Json | None] = queue.Queue()
        self._next = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()  # type: ignore[union-attr]

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with suppress(OSError):  # what was not sent has nowhere to go
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while head := self.process.stdout.readline():
            self.process.stdout.readline()
            self._arrived.put(json.loads(self.process.stdout.read(int(head.split(b":")[1]))))
        self._arrived.put(None)

    def send(self, **message: Any) -> None:
        """Send one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send(method=method, params=params)

    def post(self, method: str, params: Any) -> int:
        """Send a request; return its number."""
        self._next += 1
        self.send(id=self._next, method=method, params=params)
        return self._next

    def answer(self, number: int, timeout: float = TIMEOUT) -> Json:
        """Return the answer to a request, result or error."""
        return self.until(lambda m: m.get("id") == number and "method" not in m, timeout)

    def request(self, method: str, params: Any, timeout: float = TIMEOUT) -> Json:
        """Send a request and return its answer."""
        return self.answer(self.post(method, params), timeout)

    def until(self, wanted: Callable[[Json], bool], timeout: float = TIMEOUT) -> Json:
        """Return the first message that is wanted, answering what the server asks until it comes."""
        for message in self.messages:
            if wanted(message):
                return message
        deadline = time.monotonic() + timeout
        while True:
            message = self._arrived.get(timeout=max(deadline - time.monotonic(), 0.01))
            assert message is not None, "the server has ended"
            self.messages.append(message)
            if "method" in message and "id" in message:
                reply = self._answers.get(message["method"], lambda params: None)
                self.send(id=message["id"], result=reply(message.get("params") or {}))
            if wanted(message):
                return message

    def start(self, options: Any, capabilities: Json | None = None, root: Path | None = None) -> None:
        """Shake hands."""
        params = {
            "processId": os.getpid(),
            "rootUri": root.as_uri() if root else None,
            "capabilities": capabilities or {"workspace": {"configuration": True}},
            "initializationOptions": options,
        }
        self.request("initialize", params)
        self.notify("initialized", {})

    def open(self, file: Path, text: str) -> str:
        """Open a document, wait for its diagnostics, return its URI."""
        document = {"uri": file.as_uri(), "languageId": "mlir", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        self.until(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == document["uri"]
            )
        )
        return str(document["uri"])

    def run(self, uri: str, **arguments: Any) -> int:
        """Ask for a run on the CPU; return the request's number."""
        argument = {"uri": uri, "device": "cpu", **arguments}
        return self.post("workspace/executeCommand", {"command": "gpuasync.run", "arguments": [argument]})
