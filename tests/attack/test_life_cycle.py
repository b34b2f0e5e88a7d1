"""Shutdown of the server: by the protocol, or when the client is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.attack.wire import URI, Wire, frame

INVALID_REQUEST = -32600

FUNCTION = "func.func @f{0}() {{\n  %a = arith.constant {0} : i32\n  return\n}}\n"


def test_a_request_after_shutdown_is_refused_and_exit_still_ends() -> None:
    with Wire() as wire:
        assert wire.ask("shutdown", None)["result"] is None
        for method in ("textDocument/hover", "shutdown", "initialize", "gpuasync/nothing"):
            assert wire.ask(method, {})["error"]["code"] == INVALID_REQUEST
        wire.open("func.func @f() { return }")
        wire.tell("exit", None)
        assert wire.server.wait(20) == 0


@pytest.mark.slow
def test_the_server_ends_when_its_client_has_died() -> None:
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with Wire(processId=client.pid) as wire:
        client.kill()
        client.wait()
        wire.server.wait(20)


_BUSY = """
import os, re, sys, threading, time
def hold():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    open(sys.argv[1] + ".held", "w").close()
    re.match("(a|a)+$", "a" * 80 + "b") # Holds the interpreter lock for years. threading.Thread(target=hold,
daemon=True).start()
from gpuasync_lsp.server import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("death", ["dies", pytest.param("closes the input", marks=pytest.mark.slow)])
def test_the_server_ends_though_something_holds_the_interpreter(tmp_path: Path, death: str) -> None:
    flag = tmp_path / "flag"
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server = subprocess.Popen(
        [sys.executable, "-c", _BUSY, str(flag)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        params = {"processId": client.pid, "capabilities": {}}
        server.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
        server.stdin.flush()
        assert server.stdout.readline()
        time.sleep(0.5)
        flag.touch()
        while not Path(f"{flag}.held").exists():
            time.sleep(0.01)
        time.sleep(0.5)
        if death == "dies":
            client.kill()
            client.wait()
        else:
            server.stdin.close()
        assert server.wait(30) != 0
    finally:
        server.kill()
        client.kill()


def test_the_watching_process_ends_with_the_server() -> None:
    with Wire() as wire:
        children = Path(f"/proc/{wire.server.pid}/task/{wire.server.pid}/children")
        if not children.exists():
            pytest.skip("this system does not list the children of a process")
        deadline = time.monotonic() + 10
        while not (watching := children.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        wire.server.kill()
        wire.server.wait()
        deadline = time.monotonic() + 10
        while _runs(int(watching)):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def _runs(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


@pytest.mark.slow
def test_a_client_that_reads_nothing_while_it_writes_gets_every_answer() -> None:
    """The client writes 1,000 hovers and 10,000 edits before it reads anything."""
    with Wire() as wire:
        text = "".join(FUNCTION.format(number) for number in range(30))
        wire.open(text)
        position = {"line": 1, "character": 8}
        hover = {"textDocument": {"uri": URI}, "position": position}
        numbers = [wire.send("textDocument/hover", hover) for _ in range(1000)]
        start = {"line": 0, "character": 0}
        for version in range(2, 10_002):
            text_document = {"uri": URI, "version": version}
            change = {"range": {"start": start, "end": start}, "text": "//\n"}
            if version % 100 == 0:
                change = {"text": text}
            wire.tell("textDocument/didChange", {"textDocument": text_document, "contentChanges": [change]})
        for number in numbers:
            answer = wire.answer(number)
            assert "result" in answer or answer["error"]["code"] == -32801, answer  # ContentModified
        last = wire.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert json.dumps(last).count("f29") >= 1


@pytest.mark.slow
def test_a_client_that_never_reads_does_not_keep_the_server_alive() -> None:
    with Wire() as wire:
        wire.open("".join(FUNCTION.format(number) for number in range(3000)))
        for _ in range(20):
            wire.send("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})
        time.sleep(2)
        assert wire.server.stdin is not None
        wire.server.stdin.close()
        assert wire.server.wait(40) != 0


def test_a_client_that_stops_listening_ends_the_server() -> None:
    with Wire() as wire:
        assert wire.server.stdout is not None
        wire.server.stdout.close()
        wire.open("func.func @f() { return }")
        wire.send("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert wire.server.wait(20) == 1


def test_what_is_printed_does_not_end_up_between_messages() -> None:
    code = (
        "import os, threading\n"
        "threading.Timer(0.3, lambda: os.write(1, b'noise')).start()\n"
        "from gpuasync_lsp.server import main\n"
        "main()\n"
    )
    messages = [{"id": 1, "method": "initialize", "params": {"capabilities": {}}}]
    server = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert server.stdin is not None
    server.stdin.write(b"".join(frame({"jsonrpc": "2.0", **m}) for m in messages))
    server.stdin.flush()
    time.sleep(2)
    output, _ = server.communicate(timeout=30)
    assert b"noise" not in output
