"""RUN lines in an editor: the code lens, the results of a test, and when running it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Buffer, Editor
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEST = TEXTS["TEST"]


async def of_test(buffer: Buffer) -> list[types.Diagnostic]:
    """Return the diagnostics of the test run, pulled or pushed."""
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
        "Closest line of the output (3): %c1_i32 = arith.constant 1 : i32"
    }
    one = {"command": "gpuasync.test", "arguments": list(lenses[2][2].arguments)}
    assert [run["line"] for run in (await fresh.request("workspace/executeCommand", one))["runs"]] == [2]

    # The test runs on the editor's text, not on the file.
    buffer.change("constant 2", "constant 1")
    assert not await of_test(buffer)
    assert (await fresh.request("workspace/executeCommand", params))["verdict"] == "pass"


async def test_check_lines_are_updated_by_a_code_action(fresh: Editor) -> None:
    pytest.importorskip("filecheck")
    await fresh.start("visual-studio-code")
    applied: list[types.WorkspaceEdit] = []

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        applied.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    fresh.client.protocol.fm.features[types.WORKSPACE_APPLY_EDIT] = apply
    buffer = fresh.open(TEST.replace("// RUN: mlir-opt %s --sccp | FileCheck %s\n", ""))
    where = {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 5}}

    async def offered() -> list[str]:
        context = {"diagnostics": [fresh.json(each) for each in await of_test(buffer)]}
        found = await buffer.request("textDocument/codeAction", range=where, context=context)
        # lsprotocol parses a code action with a command as a Command.
        return [str(each.command) for each in found if "CHECK lines" in each.title]

    assert not await offered()  # Nothing has been run.
    params = {"command": "gpuasync.test", "arguments": [{"uri": buffer.uri}]}
    assert (await fresh.request("workspace/executeCommand", params))["verdict"] == "fail"
    (action,) = await offered()
    assert "gpuasync.updateChecks" in action
    assert buffer.uri in action
    params = {"command": "gpuasync.updateChecks", "arguments": [{"uri": buffer.uri}]}
    result = await fresh.request("workspace/executeCommand", params)
    assert (result["updated"], result["verdict"]) == (True, "pass")
    (change,) = applied[0].document_changes
    assert change.text_document.version == 1
    written = "".join(edit.new_text for edit in change.edits)
    assert "CHECK:     %[[VAL_0:.*]] = arith.constant 1 : i32\n" in written
    assert "func.func @a() -> i32 {\n  %0" not in written  # The code is unchanged.

    # A passing test has nothing to update, and the message says so.
    buffer.change("constant 2", "constant 1")
    result = await fresh.request("workspace/executeCommand", params)
    assert (result["updated"], "no CHECK line fails" in result["message"]) == (False, True)
    assert len(applied) == 1


async def test_built_in_passes_stand_in_and_say_what_they_lack(editor: Editor) -> None:
    pytest.importorskip("filecheck")
    buffer = editor.open(TEST)
    params = {"command": "gpuasync.test", "arguments": [{"uri": buffer.uri}]}
    result = await editor.request("workspace/executeCommand", params)
    assert result["engine"] == "built-in passes"
    assert [run["verdict"] for run in result["runs"]] == ["fail", "unsupported"]
    messages = {each.range.start.line: each.message for each in await of_test(buffer)}
    assert "sccp" in messages[1]
    assert 4 in messages


@pytest.mark.parametrize("command", ["gpuasync.test", "gpuasync.updateChecks"])
async def test_no_test_is_run_in_a_workspace_that_is_not_trusted(
    fresh: Editor, tmp_path: Path, command: str
) -> None:
    sprung = tmp_path / "sprung"
    options = {"trusted": False, "mlirOpt": ["touch", str(sprung)]}
    await fresh.start("emacs", initialization_options=options)
    buffer = fresh.open(TEST)
    params = {"command": command, "arguments": [{"uri": buffer.uri}]}
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
