"""RUN lines in an editor: the lens, what running a test shows, and where it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Buffer, Editor
from tests.support.tools import mlir_opt

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEST = """\
// RUN: mlir-opt %s | FileCheck %s
// RUN: mlir-opt %s --inline | FileCheck %s

// CHECK-LABEL: func.func @a
// CHECK: arith.constant 2 : i32
func.func @a() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
"""


async def of_test(buffer: Buffer) -> list[types.Diagnostic]:
    """Return what the test has said, pulled or pushed."""
    found = await buffer.diagnostics()
    pushed = buffer.editor.published.get((buffer.uri, buffer.version), [])
    return [
        each for each in [*found, *(p for p in pushed if p not in found)] if each.source == "gpuasync test"
    ]


async def test_a_test_is_run_by_its_lens_and_shown_until_an_edit(fresh: Editor) -> None:
    pytest.importorskip("filecheck")
    await fresh.start("emacs", initialization_options={"mlirOpt": mlir_opt(22).command[0]})
    buffer = fresh.open(TEST)
    lenses = [
        (lens.range.start.line, lens.command.title, lens.command)
        for lens in await buffer.request("textDocument/codeLens")
        if lens.command.command == "gpuasync.test"
    ]
    assert [each[:2] for each in lenses] == [(0, "Run this test"), (0, "Run this line"), (1, "Run this line")]
    params = {"command": "gpuasync.test", "arguments": list(lenses[0][2].arguments)}
    result = await fresh.request("workspace/executeCommand", params)
    assert (result["verdict"], [run["verdict"] for run in result["runs"]]) == ("fail", ["fail", "fail"])
    assert "error: Couldn't match" in result["text"]
    found = await of_test(buffer)
    assert {buffer.slice(each.range) for each in found} == {"// CHECK: arith.constant 2 : i32"}
    assert {each.message.partition("\n")[2] for each in found} == {
        "Closest, line 3 of the output: %c1_i32 = arith.constant 1 : i32"
    }
    one = {"command": "gpuasync.test", "arguments": list(lenses[2][2].arguments)}
    assert [run["line"] for run in (await fresh.request("workspace/executeCommand", one))["runs"]] == [2]

    # What is run is what the editor has, not what is on disk.
    buffer.change("constant 2", "constant 1")
    assert not await of_test(buffer)
    assert (await fresh.request("workspace/executeCommand", params))["verdict"] == "pass"


async def test_built_in_passes_stand_in_and_say_what_they_lack(editor: Editor) -> None:
    pytest.importorskip("filecheck")
    buffer = editor.open(TEST)
    params = {"command": "gpuasync.test", "arguments": [{"uri": buffer.uri}]}
    result = await editor.request("workspace/executeCommand", params)
    assert result["engine"] == "built-in passes"
    assert [run["verdict"] for run in result["runs"]] == ["fail", "unsupported"]
    messages = {each.range.start.line: each.message for each in await of_test(buffer)}
    assert "inline" in messages[1]
    assert 4 in messages


async def test_no_test_is_run_in_a_workspace_that_is_not_trusted(fresh: Editor, tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    options = {"trusted": False, "mlirOpt": ["touch", str(sprung)]}
    await fresh.start("emacs", initialization_options=options)
    buffer = fresh.open(TEST)
    params = {"command": "gpuasync.test", "arguments": [{"uri": buffer.uri}]}
    with pytest.raises(JsonRpcException, match="trusted"):
        await fresh.request("workspace/executeCommand", params)
    assert not sprung.exists()


@pytest.mark.parametrize(
    "arguments",
    [[], [5], [{"uri": 5}], [{"uri": "file:///nowhere.mlir"}], [{"uri": "file:///a.mlir", "line": "x"}]],
)
async def test_arguments_that_cannot_be_used(editor: Editor, arguments: list[object]) -> None:
    with pytest.raises(JsonRpcException):
        await editor.request("workspace/executeCommand", {"command": "gpuasync.test", "arguments": arguments})
