"""The stream view and runs, through the server."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import TIMEOUT, Buffer, Editor, capabilities
from tests.lsp.examples import KERNEL, SEED
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

FIXTURES = Path(__file__).resolve().parent.parent / "editors" / "fixtures"

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOST_ONLY = TEXTS["HOST_ONLY"]


ENDLESS = TEXTS["ENDLESS"]


@pytest.mark.parametrize("format", ["text", "json", "svg", "compact-svg", "dot"])
async def test_streams(editor: Editor, format: str) -> None:
    buffer = editor.open(KERNEL)
    found = await buffer.request("gpuasync/streams", function="run", format=format)
    assert list(found.functions) == ["run"]
    assert "run" in found.text
    if format == "json":
        json.loads(found.text)
    if format.endswith("svg"):
        assert found.text.lstrip().startswith("<svg")


async def test_streams_at_a_place(editor: Editor) -> None:
    buffer = editor.open(SEED + "// -----\n" + KERNEL)
    found = await buffer.request("gpuasync/streams", buffer.at("gpu.launch_func"))
    assert "run" in found.text
    assert "@main" not in found.text


@pytest.mark.parametrize("wrong", [{"function": "nope"}, {"format": "crayon"}])
async def test_an_unknown_function_or_format_is_refused(editor: Editor, wrong: dict[str, str]) -> None:
    with pytest.raises(JsonRpcException, match=r"there is no function|unknown format"):
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


def of_run(found: list[types.Diagnostic]) -> list[types.Diagnostic]:
    return [each for each in found if each.source == "gpuasync run"]


async def shown(buffer: Buffer) -> list[types.Diagnostic]:
    """Return the visible diagnostics: those pulled, if the editor supports it, and those pushed."""
    found = await buffer.diagnostics()
    pushed = buffer.editor.published.get((buffer.uri, buffer.version), [])
    return [*found, *(each for each in pushed if each not in found)]


async def test_arrays_in_full_and_what_the_run_is_at_for_who_asks(fresh: Editor) -> None:
    states: list[tuple[str, int]] = []
    features = fresh.client.protocol.fm.features
    features["gpuasync/runProgress"] = lambda params: states.append((params.text, params.line))
    await fresh.start("visual-studio-code")
    text = (FIXTURES / "copy_argument.mlir").read_text()
    buffer = fresh.open(text)
    asked = {"uri": buffer.uri, "device": "cpu", "args": {"0": "iota", "1": "zeros"}, "elements": True}
    result = await fresh.request(
        "workspace/executeCommand", {"command": "gpuasync.run", "arguments": [asked]}
    )
    assert result["outcome"] == "ok", result["message"]
    copied = next(value for value in result["values"] if value["changed"])
    assert (copied["shape"], copied["elements"]) == ([3, 4], [float(n) for n in range(12)])
    assert states[0] == ("compiling", 0)
    plain = {key: value for key, value in asked.items() if key != "elements"}
    result = await fresh.request(
        "workspace/executeCommand", {"command": "gpuasync.run", "arguments": [plain]}
    )
    assert all("elements" not in value for value in result["values"])


async def test_what_a_run_found_is_shown_until_an_edit(editor: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    buffer = editor.open((FIXTURES / "racing_kernels.mlir").read_text())
    arguments = [{"uri": buffer.uri, "device": "cpu", "profile": True}]
    params = {"command": "gpuasync.run", "arguments": arguments}
    before = await shown(buffer)
    assert not of_run(before)
    await editor.request("workspace/executeCommand", params)
    found = await shown(buffer)
    # A rule reports the same race, and both are merged to one diagnostic.
    assert not of_run(found)
    races = [each for each in found if "\nAlso reported by the last run: " in each.message]
    # For a client that does not pull again, only new diagnostics are pushed.
    assert [each.code for each in races] == ["GA301"] * (editor.profile != "neovim")
    assert [(each.code, each.range, each.message.partition("\nAlso reported by")[0]) for each in found] == [
        (each.code, each.range, each.message) for each in before
    ]

    hints = await buffer.request("textDocument/inlayHint", range=buffer.whole())
    timed = {h.position.line: h for h in hints if re.fullmatch(r"  [\d.e+]+ [µm]?s(, .* GB/s)?", h.label)}
    lines = buffer.text.splitlines()
    assert "gpu.launch_func" in lines[min(line for line in timed if "@kernels" in lines[line])]
    (copy,) = [hint for line, hint in timed.items() if "gpu.memcpy async [%t1]" in lines[line]]
    assert "GB/s" in copy.label
    assert copy.tooltip.startswith("copy on stream 0: ")
    assert copy.position.character == len(lines[copy.position.line])

    buffer.change("gpu.wait [%w2]", "gpu.wait  [%w2]")
    assert not any("Also reported by" in each.message for each in await shown(buffer))
    hints = await buffer.request("textDocument/inlayHint", range=buffer.whole())
    assert not [hint for hint in hints if hint.label.startswith("  ")]


ONCE = """\
func.func @main(%x: memref<4xf32>) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<4xf32>, memref<4xf32>
  %t3 = gpu.wait async [%t2]
  return
}
"""


async def test_what_a_rule_and_a_run_find_is_one_entry(editor: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    buffer = editor.open(ONCE)
    arguments = [{"uri": buffer.uri, "device": "cpu", "args": {"x": "iota"}}]
    report = await editor.request(
        "workspace/executeCommand", {"command": "gpuasync.run", "arguments": arguments}
    )
    assert [each["name"] for each in report["findings"]].count("leaked-stream") == 2
    leaks = [each for each in await shown(buffer) if each.code in ("GA401", "GA402", "leaked-stream")]
    assert {each.range.start.line for each in leaks} == {1, 4}
    assert len(leaks) == 2
    met = "\nAlso reported by the last run: this stream is never destroyed"
    assert all(met in each.message for each in leaks) == (editor.profile != "neovim")


async def test_what_a_run_found_is_pushed_where_nothing_makes_the_client_pull(fresh: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    offered = capabilities("visual-studio-code")
    assert offered.workspace is not None
    assert offered.text_document is not None
    offered.workspace.diagnostics = None
    offered.text_document.diagnostic = types.DiagnosticClientCapabilities()
    await fresh.start("visual-studio-code", capabilities=offered)
    buffer = fresh.open((FIXTURES / "racing_threads.mlir").read_text())
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu"}]}
    await fresh.request("workspace/executeCommand", params)
    pushed = fresh.published[buffer.uri, 1]
    assert pushed == of_run(pushed)
    assert "kernel-race" in {each.code for each in pushed}
    assert not of_run(await buffer.diagnostics()), "nothing is shown twice"
    buffer.change("  return", "    return")
    await buffer.diagnostics()
    assert fresh.published[buffer.uri, 2] == []


async def test_a_refused_run_is_marked_at_its_place_and_the_next_takes_that_away(editor: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    buffer = editor.open(
        "func.func private @frobnicate()\n"
        "func.func @bad() {\n  func.call @frobnicate() : () -> ()\n  return\n}\n"
        "func.func @good() {\n  return\n}\n"
    )
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu", "entry": "bad"}]}
    await editor.request("workspace/executeCommand", params)
    (found,) = of_run(await shown(buffer))
    assert buffer.slice(found.range).startswith("func.call @frobnicate")
    assert (found.code, found.severity) == ("refused", types.DiagnosticSeverity.Error)
    params["arguments"][0]["entry"] = "good"
    report = await editor.request("workspace/executeCommand", params)
    assert report["outcome"] == "ok"
    assert not of_run(await shown(buffer))


async def test_a_refused_run_does_not_name_options_of_the_command_line(editor: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    buffer = editor.open(
        "func.func @f(%a: memref<4xf32>, %c: f32) {\n  gpu.memset %a, %c : memref<4xf32>, f32\n  return\n}\n"
    )
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu"}]}
    report = await editor.request("workspace/executeCommand", params)
    assert report["outcome"] == "refused"
    for said in (report["message"], report["text"]):
        assert "gpu-async-region" in said
        assert "--" not in said


async def test_a_run_shows_progress_and_is_cancelled_there(fresh: Editor) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    await fresh.start("visual-studio-code")
    told: dict[Any, list[Any]] = {}

    def progress(params: Any) -> None:
        told.setdefault(params.token, []).append(params.value)
        if "line" in params.value.get("message", ""):  # The run has reported its position.
            fresh.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(params.token))

    fresh.client.protocol.fm.features["$/progress"] = progress
    buffer = fresh.open(ENDLESS)
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu", "profile": True}]}
    with pytest.raises(JsonRpcException) as cancelled:
        await fresh.request("workspace/executeCommand", params)
    assert cancelled.value.code == types.LSPErrorCodes.RequestCancelled
    name = buffer.uri.rsplit("/", 1)[-1]
    (run,) = [values for values in told.values() if values[0]["title"] == f"Running {name}"]
    assert run[0]["cancellable"]
    assert [each["message"] for each in run[1:3]] == ["compiling", "running, line 3"]
    assert run[-1]["kind"] == "end"


async def test_what_cannot_run_is_refused_with_the_reason(editor: Editor) -> None:
    buffer = editor.open(HOST_ONLY)
    params = {"command": "gpuasync.run", "arguments": [{"uri": buffer.uri, "device": "cpu", "entry": "nope"}]}
    report = await editor.request("workspace/executeCommand", params)
    assert report["outcome"] == "refused"
    assert "nope" in report["message"]
    params["arguments"][0]["device"] = "toaster"
    with pytest.raises(JsonRpcException, match="device must be one of"):
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
