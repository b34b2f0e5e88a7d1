"""Invalid client messages: each gets an error response or is ignored, and the session continues."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from gpuasync_lsp.lsp.frames import MOST_BYTES, Frames, Malformed
from gpuasync_lsp.lsp.messages import Fault, read_message
from gpuasync_lsp.text import Encoding, LineIndex
from tests.attack.protocol_fuzz import fuzz
from tests.attack.wire import URI, Wire, frame

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

MALFORMED = [
    (b"{", PARSE_ERROR),
    (b"", PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "sh\xff"}', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": NaN, "method": "shutdown"}', PARSE_ERROR),
    (b"[" * 100_000, PARSE_ERROR),
    (b'{"a":' * 100_000, PARSE_ERROR),
    (b"9" * 10_000, PARSE_ERROR),
    ('{"jsonrpc": "2.0"}'.encode("utf-16"), PARSE_ERROR),
    (b"[]", INVALID_REQUEST),
    (b'[{"jsonrpc": "2.0", "id": 5, "method": "shutdown"}]', INVALID_REQUEST),
    (b"null", INVALID_REQUEST),
    (b"5", INVALID_REQUEST),
    (b'"text"', INVALID_REQUEST),
    (b"{}", INVALID_REQUEST),
    (b'{"jsonrpc": "2.0"}', INVALID_REQUEST),
    (b'{"jsonrpc": "1.0", "method": "shutdown"}', INVALID_REQUEST),
    (b'{"jsonrpc": "2.0", "method": 5}', INVALID_REQUEST),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', INVALID_REQUEST),
    (b'{"jsonrpc": "2.0", "id": true, "method": "shutdown"}', INVALID_REQUEST),
]


@pytest.fixture(scope="module")
def wire():
    with Wire() as found:
        yield found


@pytest.mark.parametrize(("body", "code"), MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_message_is_refused_and_the_next_one_answered(wire: Wire, body: bytes, code: int) -> None:
    wire.write(frame(body))
    assert wire.answer(None)["error"]["code"] == code
    assert wire.ask("workspace/symbol", {"query": "x"})["result"] == []


@pytest.mark.parametrize(
    "message",
    [
        b"Content-Length: 100000\r\n\r\n{}",
        b'Content-Length: 5\r\n\r\n{"jsonrpc": "2.0", "method": "x"}',
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: 1000000000000\r\n\r\n{}",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
        b"Content-Type: text/plain\r\n\r\n{}\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\0" * 100_000,
    ],
    ids=["long", "short", "negative", "word", "huge", "digits", "none", "http", "zeros"],
)
def test_a_wrong_header_costs_no_other_message(wire: Wire, message: bytes) -> None:
    wire.write(message)
    number = wire.send("workspace/symbol", {"query": "x"})
    assert wire.answer(None)["error"]["code"] == PARSE_ERROR
    assert wire.answer(number)["result"] == []


@pytest.mark.parametrize(
    "message",
    [
        {"method": "$/cancelRequest"},
        {"method": "$/cancelRequest", "params": {}},
        {"method": "$/cancelRequest", "params": {"id": []}},
        {"method": "$/cancelRequest", "params": {"id": "gpuasync-1"}},
        {"method": "$/setTrace", "params": {"value": 5}},
        {"method": "window/workDoneProgress/cancel", "params": {"token": {}}},
        {"method": "textDocument/didOpen"},
        {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": [], "text": 5}}},
        {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "x"}, "contentChanges": [5]}},
        {"method": "textDocument/didClose", "params": []},
        {"method": "workspace/didChangeConfiguration", "params": 5},
        {"method": "workspace/didChangeWatchedFiles", "params": {"changes": None}},
        {"id": "nothing", "result": None},
        {"id": None, "error": {"code": -32700, "message": "what?"}},
        {"id": 7, "error": "refused"},
    ],
    ids=json.dumps,
)
def test_a_wrong_notification_or_answer_is_passed_over(wire: Wire, message: dict[str, Any]) -> None:
    wire.write(frame({"jsonrpc": "2.0", **message}))
    assert wire.ask("workspace/symbol", {"query": "x"})["result"] == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", 5),
        ("textDocument/hover", []),
        ("textDocument/hover", {}),
        ("textDocument/hover", {"textDocument": URI}),
        ("textDocument/hover", {"textDocument": {"uri": URI}}),
        ("textDocument/hover", {"textDocument": {"uri": []}, "position": {"line": 0, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": "0", "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}}),
        ("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0.5, "character": 0}}),
        ("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": 5, "context": {}}),
        ("textDocument/rename", {"textDocument": {"uri": URI}, "newName": 5}),
        ("codeAction/resolve", {"title": "x", "data": 5}),
        ("completionItem/resolve", {"label": "x", "data": {"textDocument": {"uri": {}}}}),
        ("workspace/executeCommand", {"command": 5}),
        ("workspace/executeCommand", {"command": "gpuasync.run", "arguments": [{"uri": 5}]}),
        ("workspace/executeCommand", {"command": "gpuasync.preview", "arguments": [{"textDocument": 5}]}),
        ("workspace/textDocumentContent", {"uri": "gpuasync:/lowering/x?{"}),
        ("workspace/textDocumentContent", {"uri": "gpuasync://[/lowering/x"}),
        ("gpuasync/lowering", {"textDocument": {"uri": URI}, "stage": []}),
        ("gpuasync/lowering", {"textDocument": {"uri": URI}, "llvm": {}}),
        ("gpuasync/streams", {"textDocument": {"uri": URI}, "function": 5}),
    ],
    ids=lambda value: value if isinstance(value, str) else json.dumps(value),
)
def test_wrong_parameters_are_the_clients_mistake(wire: Wire, method: str, params: Any) -> None:
    wire.open("func.func @f() { return }")
    assert wire.ask(method, params)["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize(
    "uri",
    [
        "file://%00/etc",
        "file:///a%00b.mlir",
        "file://[bad/x.mlir",
        "file:relative.mlir",
        "file:",
        "file:////",
        "file:///" + "x" * 5000,
        "file:///" + "x/" * 5000,
        "file:///proc/self/mem/x.mlir",
        "untitled:Untitled-1",
        "file:///\ud800.mlir",
        "",
        ":",
    ],
)
def test_odd_uris_are_documents_like_others(wire: Wire, uri: str) -> None:
    wire.open("func.func @f() { return }", uri)
    answer = wire.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert "f" in json.dumps(answer["result"])


def test_a_position_behind_the_end_is_indented_nowhere(wire: Wire) -> None:
    wire.open("func.func @f() { return }")
    params = {"textDocument": {"uri": URI}, "position": {"line": 900, "character": 0}, "ch": "\n"}
    options = {"tabSize": 2, "insertSpaces": True}
    assert wire.ask("textDocument/onTypeFormatting", {**params, "options": options})["result"] == []


def test_initialize_with_wrong_types_is_refused_and_may_be_repeated() -> None:
    with Wire(start=False) as wire:
        for params in (
            None,
            {"processId": "x", "capabilities": {}},
            {"capabilities": 5},
            {"capabilities": {}, "workspaceFolders": [5]},
            {"capabilities": {}, "rootUri": 7},
        ):
            assert wire.ask("initialize", params)["error"]["code"] == INVALID_PARAMS
        wire.write(frame(b"{") + frame(b"[]"))
        assert wire.answer(None)["error"]["code"] == PARSE_ERROR
        odd = {"general": {"positionEncodings": 5}, "textDocument": {"hover": {"contentFormat": 1}}}
        assert "result" in wire.ask("initialize", {"capabilities": odd, "initializationOptions": []})
        assert wire.ask("initialize", {"capabilities": {}})["error"]["code"] == INVALID_REQUEST


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_no_place_is_between_the_parts_of_a_line_end(encoding: Encoding) -> None:
    lines = LineIndex("a\u00e9\r\n\r\nb\r\U0001f600\r\n")
    for offset in range(len(lines.text) + 1):
        line, column = lines.position(offset, encoding)
        assert lines.offset(line, column, encoding) == offset - (
            lines.text[offset - 1 : offset + 1] == "\r\n"
        )


def test_frames_are_the_same_however_the_stream_is_cut() -> None:
    chance = random.Random(7)
    bodies = [bytes(chance.choices(b'{}"\r\n abc', k=chance.randrange(200))) for _ in range(200)]
    stream = b"".join(frame(body) for body in bodies)
    frames, found = Frames(), list[bytes | Malformed | None]()
    while stream:
        cut = chance.randrange(1, 60)
        frames.feed(stream[:cut])
        stream = stream[cut:]
        while (one := frames.next()) is not None:
            found.append(one)
    assert found == bodies


def test_a_stream_of_anything_stays_within_bounds_and_finds_its_place_again() -> None:
    chance = random.Random(8)
    pieces = [b"Content-Length:", b" 7", b"\r\n", b"\r\n\r\n", b"{}", b"\0\xff", b"x" * 5000, b"-1", b": "]
    for _ in range(300):
        frames = Frames()
        frames.feed(b"".join(chance.choices(pieces, k=60)))
        while frames.next() is not None:
            pass
        frames.feed(b"\r\n" + frame(b'"here"'))
        found: list[bytes | Malformed] = []
        while (one := frames.next()) is not None:
            found.append(one)
        assert found[-1] == b'"here"'
    assert len(str(MOST_BYTES)) <= 9


def test_reading_a_message_never_raises() -> None:
    chance = random.Random(9)
    pieces: list[Any] = [None, 5, -1.5, True, "x", [], {}, "2.0", "shutdown", {"message": 5}]
    keys = ["jsonrpc", "id", "method", "params", "result", "error", "other"]
    faults = 0
    for _ in range(5000):
        message = {key: chance.choice(pieces) for key in chance.sample(keys, chance.randrange(8))}
        faults += isinstance(read_message(json.dumps(message).encode()), Fault)
    assert 0 < faults < 5000


@pytest.mark.parametrize(
    ("method", "item"),
    [
        ("codeAction/resolve", {"title": "x", "kind": "quickfix", "edit": {"changes": {}}}),
        ("completionItem/resolve", {"label": "x"}),
    ],
)
def test_what_was_offered_whole_is_resolved_to_itself(wire: Wire, method: str, item: dict[str, Any]) -> None:
    assert wire.ask(method, item)["result"] == item


@pytest.mark.slow
def test_wrong_parameters_of_every_request() -> None:
    """`python -m tests.attack.protocol_fuzz` sends more."""
    codes, wrong = fuzz(200, seed=3)
    assert wrong == []
    assert len(codes) > 1
