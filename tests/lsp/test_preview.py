"""The lowering beside the source, as a request and as a command."""

from __future__ import annotations

import pytest
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Editor
from tests.lsp.examples import SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = SEED.replace("[%2, %6]", "[%6]")


async def test_lowered_lines_lead_to_their_source(editor: Editor) -> None:
    buffer = editor.open(FIXED)
    result = await buffer.request("gpuasync/lowering", llvm=22)
    lowered = result.text.splitlines()
    assert result.llvm == 22
    assert "gpu-to-llvm" in result.stages
    assert not result.notes
    links = {line: [lowered[row] for row in rows] for line, rows in result.lineMap}
    line = next(n for n, text in enumerate(FIXED.splitlines()) if "gpu.memcpy" in text)
    assert any("@mgpuMemcpy(" in text for text in links[line])
    assert not any("@mgpuMemcpy(" in t for n, texts in links.items() if n != line for t in texts)


async def test_versions_lower_differently(editor: Editor) -> None:
    buffer = editor.open(FIXED)
    new = await buffer.request("gpuasync/lowering", llvm=24)
    old = await buffer.request("gpuasync/lowering", llvm=16)
    assert new.text != old.text


async def test_what_stays_behind_is_noted_at_its_line(editor: Editor) -> None:
    buffer = editor.open(SEED)
    result = await buffer.request("gpuasync/lowering", llvm=22)
    (note,) = result.notes
    assert "gpu.memcpy" in note.message
    assert "gpu.memcpy" in SEED.splitlines()[note.line]


async def test_the_release_that_stops_says_so(editor: Editor) -> None:
    result = await editor.open(SEED).request("gpuasync/lowering", llvm=16)
    assert any("failed to legalize operation 'gpu.memcpy'" in note.message for note in result.notes)


async def test_the_command_gives_what_the_request_gives(editor: Editor) -> None:
    buffer = editor.open(FIXED)
    direct = await buffer.request("gpuasync/lowering", llvm=19)
    argument = {"textDocument": {"uri": buffer.uri}, "llvm": 19}
    params = {"command": "gpuasync.preview", "arguments": [argument]}
    by_command = await editor.request("workspace/executeCommand", params)
    assert by_command["text"] == direct.text


@pytest.mark.parametrize("wrong", [{"llvm": 3}, {"stage": "nonsense"}])
async def test_an_unknown_version_or_stage_is_refused(editor: Editor, wrong: dict[str, object]) -> None:
    with pytest.raises(JsonRpcException, match="known are"):
        await editor.open(FIXED).request("gpuasync/lowering", **wrong)


async def test_a_pipeline_and_explanations_can_be_asked_for(editor: Editor) -> None:
    buffer = editor.open(FIXED)
    result = await buffer.request("gpuasync/lowering", llvm=22, pipeline="gpu-to-llvm", explain=True)
    assert "// stream 0: from " in result.text
    assert result.pipeline == "builtin.module(gpu-to-llvm)"


async def test_nobody_but_the_user_names_the_engine(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="your own settings"):
        await editor.open(FIXED).request("gpuasync/lowering", engine="mlir-opt")
