"""Cancellation, stale results, traces, settings: rules for every request."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import PROFILES, SERVER, TIMEOUT, Editor
from tests.lsp.examples import SEED
from tests.lsp.test_process import EXIT, INITIALIZE, SHUTDOWN, frame

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_tcp() -> None:
    probe = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = probe.sockets[0].getsockname()[1]
    probe.close()
    await probe.wait_closed()
    server = await asyncio.create_subprocess_exec(
        SERVER, "--tcp", f"127.0.0.1:{port}", stderr=asyncio.subprocess.DEVNULL
    )
    reader = writer = None
    deadline = time.monotonic() + TIMEOUT
    while reader is None or writer is None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            assert server.returncode is None
    writer.write(b"".join(frame(m) for m in (INITIALIZE, SHUTDOWN)))
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), TIMEOUT)
    answer = json.loads(await reader.readexactly(int(head.split(b":")[1])))
    assert answer["result"]["serverInfo"]["name"] == "gpuasync-lsp"
    writer.write(frame(EXIT))
    assert await asyncio.wait_for(server.wait(), TIMEOUT) == 0


async def test_a_request_for_a_document_that_is_not_open(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="not open"):
        await editor.request(
            "textDocument/hover",
            {"textDocument": {"uri": "file:///nowhere.mlir"}, "position": {"line": 0, "character": 0}},
        )


async def test_an_unknown_method_is_refused_and_the_server_lives(editor: Editor) -> None:
    with pytest.raises(JsonRpcException) as refused:
        await editor.request("gpuasync/nothing", {})
    assert refused.value.code == types.ErrorCodes.MethodNotFound
    await editor.open(SEED).diagnostics()


LONG = "\n// -----\n".join(SEED.replace("@main", f"@main{n}") for n in range(150))
"""A text so long that its analysis is unfinished when the next message arrives."""


async def test_a_cancelled_request_is_answered_so(editor: Editor) -> None:
    buffer = editor.open(LONG)
    request = editor.send("textDocument/documentLink", buffer.params(), msg_id="unwanted")
    editor.client.protocol.notify("$/cancelRequest", types.CancelParams("unwanted"))
    with pytest.raises(JsonRpcException) as cancelled:
        await asyncio.wait_for(request, TIMEOUT)
    assert cancelled.value.code == types.LSPErrorCodes.RequestCancelled


async def test_a_request_that_an_edit_overtakes_is_outdated(editor: Editor) -> None:
    buffer = editor.open(LONG)
    request = editor.send("textDocument/documentLink", buffer.params())
    buffer.change("%c2 =", "%c3 =")
    with pytest.raises(JsonRpcException) as outdated:
        await asyncio.wait_for(request, TIMEOUT)
    assert outdated.value.code == types.LSPErrorCodes.ContentModified


async def test_set_trace(fresh: Editor) -> None:
    traced: list[str] = []
    seen = asyncio.Event()

    def on_trace(params: types.LogTraceParams) -> None:
        traced.append(params.message)
        seen.set()

    fresh.client.protocol.fm.features["$/logTrace"] = on_trace
    await fresh.start("emacs")
    fresh.client.set_trace(types.SetTraceParams(types.TraceValue.Messages))
    buffer = fresh.open(SEED)
    await asyncio.wait_for(seen.wait(), TIMEOUT)
    assert buffer.uri in traced[0]


async def test_settings_change_without_restart(editor: Editor) -> None:
    buffer = editor.open("// gpuasync: llvm=22\n" + SEED)
    assert any("LLVM 22" in d.message for d in await buffer.diagnostics() if d.code == "GA101")
    buffer.change("llvm=22", "llvm=16")
    assert any("LLVM 16" in d.message for d in await buffer.diagnostics() if d.code == "GA101")


@pytest.mark.parametrize("profile", PROFILES)
async def test_settings_are_pulled_and_changes_of_them_registered_for(fresh: Editor, profile: str) -> None:
    fresh.configuration = {"llvm": 22, "ignore": ["GA101"], "inlayHints": {"streams": True}, "device": "auto"}
    await fresh.start(profile)
    workspace = fresh.client.capabilities.workspace
    assert workspace is not None
    if not workspace.configuration:
        assert "GA101" in [d.code for d in await fresh.open(SEED).diagnostics()]
        return
    async with fresh.arrived:
        await asyncio.wait_for(fresh.arrived.wait_for(lambda: fresh.asked), TIMEOUT)
    # Once this is answered, the settings have arrived.
    await fresh.request("workspace/symbol", {"query": ""})
    assert "GA101" not in [d.code for d in await fresh.open(SEED).diagnostics()]
    dynamic = workspace.did_change_configuration
    if dynamic is not None and dynamic.dynamic_registration:
        assert "workspace/didChangeConfiguration" in fresh.registered
    if workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        assert "workspace/didChangeWatchedFiles" in fresh.registered


@pytest.mark.parametrize("wrapped", [True, False])
async def test_settings_from_initialization_options(fresh: Editor, wrapped: bool) -> None:
    settings = {"ignore": ["GA1"]}
    await fresh.start("emacs", initialization_options={"gpuasync": settings} if wrapped else settings)
    assert "GA101" not in [d.code for d in await fresh.open(SEED).diagnostics()]


async def test_pushed_settings_hold_without_restart(fresh: Editor) -> None:
    capabilities = types.ClientCapabilities()
    await fresh.start("emacs", capabilities=capabilities)
    buffer = fresh.open(SEED)
    assert "GA101" in [d.code for d in await buffer.diagnostics()]
    fresh.published.clear()
    fresh.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"gpuasync": {"ignore": ["GA101"]}})
    )
    assert "GA101" not in [d.code for d in await buffer.diagnostics()]


async def test_an_unusable_setting_is_shown_and_the_others_hold(fresh: Editor) -> None:
    await fresh.start("emacs", initialization_options={"llvm": 3, "ignore": ["GA101"], "color": "blue"})
    assert "GA101" not in [d.code for d in await fresh.open(SEED).diagnostics()]
    shown = [m.message for m in fresh.client.messages]
    assert any("gpuasync.llvm" in m for m in shown)
    assert any("gpuasync.color" in m for m in shown)


@pytest.mark.slow
async def test_a_long_first_analysis_shows_progress(fresh: Editor) -> None:
    await fresh.start("visual-studio-code")
    buffer = fresh.open("\n// -----\n".join(SEED.replace("@main", f"@main{n}") for n in range(2000)))
    await buffer.request("textDocument/documentSymbol")
    hover = buffer.params(buffer.at("gpu.memcpy"))
    await fresh.request("textDocument/hover", hover)  # Answered after the progress ends.
    ((begin, *_, end),) = fresh.client.progress_reports.values()
    assert begin.kind == "begin"
    assert begin.title.startswith("Analyzing file")
    assert end.kind == "end"
