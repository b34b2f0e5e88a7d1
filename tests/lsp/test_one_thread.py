"""The server without threads and processes, as in a browser: on the event loop of this test."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from gpuasync_lsp import processes, server
from gpuasync_lsp.lsp.workers import on_event_loop
from gpuasync_lsp.server import Messages
from tests.support.tools import ROOT

Json = dict[str, Any]

URI = "file:///playground.mlir"
BROKEN = (ROOT / "examples" / "broken" / "two_dependencies.mlir").read_text()
SOUND = (ROOT / "examples" / "sound" / "two_dependencies.mlir").read_text()


class Page:
    """A client that passes messages directly, and stores those that it receives."""

    def __init__(self) -> None:
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self.diagnostics: asyncio.Queue[Json] = asyncio.Queue()
        self.messages = Messages(self._take)

    def _take(self, text: str) -> None:
        message: Json = json.loads(text)
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics.put_nowait(message["params"])
        elif message.get("id") is not None and "method" not in message:
            self._waiting.pop(message["id"]).set_result(message)

    def notify(self, method: str, **params: Any) -> None:
        self.messages.receive(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def ask(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self.messages.receive(
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        )
        return await asyncio.wait_for(answer, 60)

    async def start(self) -> None:
        await self.ask(
            "initialize", processId=None, capabilities={"textDocument": {"publishDiagnostics": {}}}
        )
        self.notify("initialized")

    def open(self, text: str) -> None:
        self.notify(
            "textDocument/didOpen",
            textDocument={"uri": URI, "languageId": "mlir", "version": 1, "text": text},
        )

    def change(self, version: int, text: str) -> None:
        self.notify(
            "textDocument/didChange",
            textDocument={"uri": URI, "version": version},
            contentChanges=[{"text": text}],
        )

    async def shown(self, version: int) -> list[str]:
        while (params := await asyncio.wait_for(self.diagnostics.get(), 60))["version"] != version:
            pass
        return [each["code"] for each in params["diagnostics"]]


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    rejections = list(processes._refusal)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(server.sys, "setswitchinterval", lambda _: None)
    yield
    processes._refusal[:] = rejections  # pyright: ignore[reportPrivateUsage]


async def test_diagnostics_follow_edits() -> None:
    page = Page()
    await page.start()
    page.open(BROKEN)
    assert await page.shown(1) == ["GA101"]
    page.change(2, SOUND)
    page.change(3, BROKEN)
    page.change(4, SOUND)
    assert await page.shown(4) == []


async def test_answers_are_those_of_the_newest_version() -> None:
    page = Page()
    await page.start()
    page.open(BROKEN)
    document = {"uri": URI}
    lowered, picture, hover = await asyncio.gather(
        page.ask("gpuasync/lowering", textDocument=document),
        page.ask("gpuasync/streams", textDocument=document, format="svg"),
        page.ask("textDocument/hover", textDocument=document, position={"line": 11, "character": 4}),
    )
    assert "llvm.func @duplicate" in lowered["result"]["text"]
    assert picture["result"]["text"].startswith("<svg")
    assert hover["result"]["contents"]
    waiting = asyncio.ensure_future(page.ask("textDocument/codeAction", **_whole(document)))
    await asyncio.sleep(0)
    page.change(2, SOUND)
    assert (await waiting).get("error", {}).get("code") == -32801 or await page.shown(2) == []


def _whole(document: Json) -> Json:
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    return {"textDocument": document, "range": span, "context": {"diagnostics": []}}


async def test_a_run_says_how_to_run() -> None:
    page = Page()
    await page.start()
    page.open(SOUND)
    answer = await page.ask("workspace/executeCommand", command="gpuasync.run", arguments=[{"uri": URI}])
    assert "gpuasync-lsp run --device cpu" in answer["error"]["message"]


async def test_what_comes_before_initialize_or_is_no_message_is_answered() -> None:
    page = Page()
    answer = await page.ask("textDocument/hover", textDocument={"uri": URI})
    assert answer["error"]["code"] == -32002
    await page.start()
    page.messages.receive("\ud800 no JSON")
    page.open(BROKEN)
    assert await page.shown(1) == ["GA101"]


async def test_the_most_urgent_call_goes_first() -> None:
    workers, order = on_event_loop(), list[str]()
    calls = [
        workers.builds.submit(order.append, "build"),
        workers.edits.submit(order.append, "edit"),
        dropped := workers.answers.submit(order.append, "dropped"),
        workers.answers.submit(order.append, "answer"),
    ]
    dropped.cancel()
    await asyncio.gather(*map(asyncio.wrap_future, set(calls) - {dropped}))
    assert order == ["answer", "edit", "build"]
