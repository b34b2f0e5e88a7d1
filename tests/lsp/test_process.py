"""The server as a process: handshake, exit codes, transports, crashes; messages are handwritten."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError

from gpuasync_lsp.lsp.wiring import _guarded
from tests.lsp.editor import SERVER, TIMEOUT


def talk(
    messages: list[dict[str, Any]], *, close: bool = False, until: int | None = None
) -> tuple[list[dict[str, Any]], int]:
    """Send messages to a new server; return all its messages, and its exit code.

    With `until`, shut it down after the response to that request.
    """
    server = subprocess.Popen([SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"".join(frame(message) for message in messages))
    server.stdin.flush()
    if close:
        server.stdin.close()
    answers: list[dict[str, Any]] = []
    while head := server.stdout.readline():
        server.stdout.readline()
        answers.append(json.loads(server.stdout.read(int(head.split(b":")[1]))))
        if until is not None and answers[-1].get("id") == until:
            server.stdin.write(frame(SHUTDOWN) + frame(EXIT))
            server.stdin.flush()
    return answers, server.wait(TIMEOUT)


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


INITIALIZE = {
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}
SHUTDOWN = {"id": 2, "method": "shutdown", "params": None}
EXIT = {"method": "exit"}


def test_exit_after_shutdown_is_success() -> None:
    answers, code = talk([INITIALIZE, {"method": "initialized", "params": {}}, SHUTDOWN, EXIT])
    assert {a["id"]: "error" not in a for a in answers if "id" in a} == {1: True, 2: True}
    assert code == 0


@pytest.mark.parametrize("messages", [[EXIT], [INITIALIZE, EXIT]], ids=["at once", "initialized"])
def test_exit_without_shutdown_is_failure(messages: list[dict[str, Any]]) -> None:
    assert talk(messages)[1] == 1


@pytest.mark.parametrize("messages", [[], [INITIALIZE]], ids=["at once", "initialized"])
def test_a_lost_connection_ends_the_server(messages: list[dict[str, Any]]) -> None:
    assert talk(messages, close=True)[1] == 1


def test_requests_before_initialize_are_refused() -> None:
    early = {"id": 7, "method": "textDocument/hover", "params": {}}
    answers, _ = talk([early, {"method": "textDocument/didOpen", "params": {}}, INITIALIZE, SHUTDOWN, EXIT])
    assert answers[0]["error"]["code"] == types.ErrorCodes.ServerNotInitialized
    assert answers[1]["id"] == 1


def test_the_answer_to_initialize_waits_for_no_import_that_costs_time() -> None:
    """`python -m benchmarks.latency` measures the start; this checks its cause."""
    code = "import sys, gpuasync_lsp.server; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {"asyncio", "cattrs", "llvmlite", "lsprotocol", "numpy", "pygls", "xdsl"}.isdisjoint(
        loaded.split()
    )


def test_a_server_imports_while_it_waits_for_its_client() -> None:
    """VS Code starts the server some time before it can send `initialize`."""
    command = [sys.executable, "-X", "importtime", "-m", "gpuasync_lsp", "--stdio"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        limit = threading.Timer(TIMEOUT, server.kill)
        limit.start()
        assert server.stderr is not None
        assert any(b"gpuasync_lsp.ide.refactor" in line for line in server.stderr)
        limit.cancel()
        initialized = {"method": "initialized", "params": {}}
        output, _ = server.communicate(b"".join(map(frame, [INITIALIZE, initialized, SHUTDOWN, EXIT])))
    assert b'"id":1,"result"' in output
    assert server.returncode == 0


def test_the_first_diagnostics_wait_for_no_import_of_other_answers() -> None:
    """Editors request all that they show of a new document at once, in any order."""
    capabilities = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    document = {"uri": "file:///a.mlir", "languageId": "mlir", "version": 1, "text": "func.func @f() {\n"}
    at = {"textDocument": {"uri": document["uri"]}}
    methods = ("documentSymbol", "semanticTokens/full", "codeLens", "diagnostic", "foldingRange")
    talked = [
        {**INITIALIZE, "params": {"processId": None, "rootUri": None, "capabilities": capabilities}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        *({"id": n, "method": f"textDocument/{each}", "params": at} for n, each in enumerate(methods, 10)),
    ]
    answers, code = talk(talked, until=14)
    answered = [answer["id"] for answer in answers if answer.get("id") in range(10, 15)]
    assert answered[0] == 13
    assert code == 0


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["ebcdic"], "utf-16"),
    ],
)
def test_the_position_encoding_is_the_first_known_one(offered: list[str] | None, chosen: str) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    initialize = {**INITIALIZE, "params": {"processId": None, "rootUri": None, "capabilities": general}}
    answers, _ = talk([initialize, SHUTDOWN, EXIT])
    assert answers[0]["result"]["capabilities"]["positionEncoding"] == chosen


@pytest.mark.asyncio(loop_scope="session")
async def test_a_crash_loses_one_answer_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def crash(params: Any) -> None:
        raise ZeroDivisionError

    params = {"textDocument": {"uri": "file:///a.mlir"}, "position": {"line": 0, "character": 0}}
    with pytest.raises(JsonRpcInternalError, match="ZeroDivisionError"):
        await _guarded("textDocument/hover", crash)(params)
    assert "textDocument/hover failed" in caplog.text
    assert "Traceback" in caplog.text


def test_messages_for_a_closed_document_fill_no_log() -> None:
    document = {
        "uri": "file:///a.mlir",
        "languageId": "mlir",
        "version": 1,
        "text": "func.func @f() { return }\n",
    }
    at = {"textDocument": {"uri": document["uri"]}}
    talked = [
        INITIALIZE,
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"method": "textDocument/didClose", "params": at},
        {"method": "textDocument/didChange", "params": {**at, "contentChanges": [{"text": ""}]}},
        {"id": 7, "method": "textDocument/hover", "params": {**at, "position": {"line": 0, "character": 0}}},
        {"id": 8, "method": "gpuasync/streams", "params": {"textDocument": {"uri": "file:///unknown.mlir"}}},
    ]
    answers, _ = talk(talked, until=8)
    assert {answer["id"] for answer in answers if "error" in answer} == {7, 8}
    logged = [a["params"] for a in answers if a.get("method") == "window/logMessage"]
    assert all(each["type"] > 2 for each in logged), logged


def test_what_cannot_be_read_is_logged() -> None:
    nameless = {"id": 7, "method": 5}
    answers, code = talk([INITIALIZE, {"method": "initialized", "params": {}}, nameless], until=7)
    logged = [a["params"]["message"] for a in answers if a.get("method") == "window/logMessage"]
    assert any("the method must be a string" in message for message in logged)
    assert code == 0
