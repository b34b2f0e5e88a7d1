"""TCP: one local client that speaks LSP, for which the server starts no program."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuasync_lsp import server
from gpuasync_lsp.lsp import tcp
from tests.attack.wire import frame

COMMAND = (sys.executable, "-P", "-m", "gpuasync_lsp", "--tcp")

POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b"
"""The request that a browser sends for `fetch(..., {method: "POST", mode: "no-cors"})` of a web page."""

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}

URI = {"uri": "file:///a.mlir"}
DOCUMENT = {**URI, "languageId": "mlir", "version": 1, "text": "func.func @main() { return }"}


class Listening:
    """A server and its port."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen([*COMMAND, "127.0.0.1:0"], stderr=subprocess.PIPE, cwd=folder)
        assert self.process.stderr is not None
        self.port = int(self.process.stderr.readline().split()[-1])
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    found = Listening(tmp_path)
    yield found
    found.process.kill()
    found.process.wait()


class Asking:
    """A client that reads its messages one after the other."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._stream = client.makefile("rb")

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()  # Otherwise the connection stays open.

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self._client.sendall(frame({"jsonrpc": "2.0", **message}))

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request; return its response."""
        self.tell(message)
        while head := self._stream.readline():
            self._stream.readline()
            answer = json.loads(self._stream.read(int(head.split(b":")[1])))
            if answer.get("id") == message["id"] and "method" not in answer:
                return answer
        raise AssertionError("the server has hung up")


def ask(client: socket.socket, message: dict[str, Any]) -> dict[str, Any]:
    """Ask the only question."""
    with Asking(client) as asking:
        return asking.ask(message)


def hangs_up(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_requests_of_a_web_page_are_sent_away_unanswered(listening: Listening) -> None:
    options = {"initializationOptions": {"mlirOpt": ["sh", "-c", "touch sprung"]}}
    initialize = json.dumps({**INITIALIZE, "params": {"capabilities": {}, **options}}).encode()
    for body in (initialize, frame(initialize), b"\r\n\r\n" + frame(initialize)):
        with listening.connect() as page:
            page.sendall(POST % (len(body), body))
            assert hangs_up(page)
    with listening.connect() as client:
        assert "capabilities" in ask(client, INITIALIZE)["result"]


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 2000,
        b"Host: x\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\nOrigin: x\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"\r\n\r\n",
        b"x" * 5000,
    ],
    ids=["http", "tls", "host", "origin", "negative", "empty", "long"],
)
def test_what_does_not_begin_as_lsp_does_is_sent_away(listening: Listening, said: bytes) -> None:
    with listening.connect() as stranger:
        stranger.sendall(said)
        assert hangs_up(stranger)
    with listening.connect() as client:
        assert "result" in ask(client, INITIALIZE)


def test_there_is_no_second_client(listening: Listening) -> None:
    with listening.connect() as connection, Asking(connection) as client:
        assert "result" in client.ask(INITIALIZE)
        with pytest.raises(ConnectionRefusedError):
            listening.connect()
        client.tell({"method": "textDocument/didOpen", "params": {"textDocument": DOCUMENT}})
        symbols = {"method": "textDocument/documentSymbol", "params": {"textDocument": URI}}
        assert "main" in json.dumps(client.ask({"id": 2, **symbols}))
    assert listening.process.wait(30) == 1


def test_a_client_that_says_nothing_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "HEAD_TIME", 0.3)
    listener = tcp.listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.sendall(b"Content-Length: 2\r\n")
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(
                b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"
            )
            begun = time.monotonic()
            connection, said = tcp.accept(listener)
            assert time.monotonic() - begun < 20
            with connection:
                assert said.endswith(b"utf-8\r\n\r\n")
                assert connection.getpeername() == client.getsockname()
            assert hangs_up(silent)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_no_program_is_started(listening: Listening, tmp_path: Path) -> None:
    """Neither the client's mlir-opt nor a run is started, even if the client claims to be trusted."""
    sprung = tmp_path / "sprung"
    trap = [sys.executable, "-c", f"open({str(sprung)!r}, 'w'); print('LLVM version 19.1.0')"]
    options = {"trusted": True, "mlirOpt": trap, "run": {"command": trap}}
    params = {"capabilities": {}, "initializationOptions": options}
    with listening.connect() as connection, Asking(connection) as client:
        client.ask({**INITIALIZE, "params": params})
        client.tell({"method": "textDocument/didOpen", "params": {"textDocument": DOCUMENT}})
        target = {"method": "gpuasync/target", "params": {"textDocument": URI}}
        assert client.ask({"id": 2, **target})["result"]["origin"] == "newest release"
        for number, method, asked in (
            (3, "gpuasync/lowering", {"textDocument": URI, "engine": "mlir-opt"}),
            (4, "workspace/executeCommand", {"command": "gpuasync.run", "arguments": [URI]}),
        ):
            answer = client.ask({"id": number, "method": method, "params": asked})
            assert "a client over TCP is not authenticated" in json.dumps(answer), answer
    assert not sprung.exists()


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "192.0.2.1", "[::]", "example.org", "localhost.example.org", "*", ""]
)
def test_other_addresses_are_refused(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    from gpuasync_lsp.cli import main

    assert main(["--tcp", f"{host}:1"]) == 2
    assert ("is not a loopback address" if host else "is not HOST:PORT") in capsys.readouterr().err


def test_the_server_refuses_them_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host name may resolve to any address."""
    from gpuasync_lsp import processes

    monkeypatch.setattr(processes, "_refusal", [])
    resolved = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 1)) for host in ("127.0.0.1", "192.0.2.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: resolved)
    assert server.main(("localhost", 1)) == 2
    assert "192.0.2.1, which is not a loopback address" in capsys.readouterr().err
