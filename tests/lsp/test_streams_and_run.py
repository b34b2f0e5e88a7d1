"""The stream view and runs, through the server."""

from __future__ import annotations

import asyncio
import json

import pytest
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import TIMEOUT, Editor
from tests.lsp.examples import KERNEL, SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOST_ONLY = """\
func.func @main() -> i32 {
  %a = arith.constant 40 : i32
  %b = arith.constant 2 : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
"""


@pytest.mark.parametrize("format", ["text", "json", "svg", "dot"])
async def test_streams(editor: Editor, format: str) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("gpuasync/streams", function="run", format=format)
    assert list(found.functions) == ["run"]
    assert "run" in found.text
    if format == "json":
        json.loads(found.text)
    if format == "svg":
        assert found.text.lstrip().startswith("<svg")


async def test_streams_at_a_place(editor: Editor) -> None:
    buffer = editor.open(SEED + "// -----\n" + KERNEL)
    found = await buffer.request("gpuasync/streams", buffer.at("gpu.launch_func"))
    assert "run" in found.text
    assert "@main" not in found.text


@pytest.mark.parametrize("wrong", [{"function": "nope"}, {"format": "crayon"}])
async def test_an_unknown_function_or_format_is_refused(editor: Editor, wrong: dict[str, str]) -> None:
    with pytest.raises(JsonRpcException, match="there is no"):
        await editor.open(KERNEL).request("gpuasync/streams", **wrong)


async def test_a_run_reports(editor: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    finished: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    editor.client.protocol.fm.features["gpuasync/runFinished"] = finished.set_result
    buffer = editor.open(HOST_ONLY)
    lenses = await buffer.request("textDocument/codeLens")
    (lens,) = [lens for lens in lenses if lens.command.title == "Run on CPU"]
    params = {"command": lens.command.command, "arguments": list(lens.command.arguments)}
    report = await editor.request("workspace/executeCommand", params)
    assert (report["outcome"], report["entry"], report["device"]) == ("ok", "main", "cpu")
    assert "42" in report["text"]
    told = await asyncio.wait_for(finished, TIMEOUT)
    assert told.uri == buffer.uri


async def test_what_cannot_run_is_refused_with_the_reason(editor: Editor) -> None:
    buffer = editor.open(HOST_ONLY)
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu", "entry": "nope"}]}
    report = await editor.request("workspace/executeCommand", params)
    assert report["outcome"] == "refused"
    assert "nope" in report["message"]
    params["arguments"][0]["device"] = "toaster"
    with pytest.raises(JsonRpcException, match="device is one of"):
        await editor.request("workspace/executeCommand", params)


async def test_nothing_runs_in_a_workspace_that_is_not_trusted(fresh: Editor) -> None:
    await fresh.start("emacs", initialization_options={"trusted": False})
    buffer = fresh.open(HOST_ONLY)
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu"}]}
    with pytest.raises(JsonRpcException, match="trusted"):
        await fresh.request("workspace/executeCommand", params)


async def test_an_unknown_command_is_refused(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="no command"):
        await editor.request("workspace/executeCommand", {"command": "gpuasync.sing", "arguments": []})
