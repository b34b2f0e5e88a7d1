"""The lowering next to the source, as a request and as a command."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from benchmarks.generate import module
from tests.lsp.editor import Editor
from tests.lsp.examples import SEED
from tests.support.tools import mlir_opt

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
    with pytest.raises(JsonRpcException, match="unknown"):
        await editor.open(FIXED).request("gpuasync/lowering", **wrong)


async def test_a_pipeline_and_explanations_can_be_asked_for(editor: Editor) -> None:
    buffer = editor.open(FIXED)
    result = await buffer.request("gpuasync/lowering", llvm=22, pipeline="gpu-to-llvm", explain=True)
    assert "// stream 0: from " in result.text
    assert result.pipeline == "builtin.module(gpu-to-llvm)"


async def test_findings_streams_and_folds_come_with_the_text(editor: Editor) -> None:
    text = SEED.replace("@main", '@"\U0001d6fc\U0001d6fd"')
    result = await editor.open(text).request("gpuasync/lowering", llvm=22)
    lines = result.text.splitlines()
    (refused,) = [found for found in result.findings if found.code == "GA101"]
    assert "gpu.memcpy" in lines[refused.line]
    assert "gpu.memcpy" in text.splitlines()[refused.source]
    assert refused.severity == 1
    _check_streams(editor, result)
    (declared,) = [fold for fold in result.folds if fold[2] == "declarations"]
    assert all("llvm.func @mgpu" in line for line in lines[declared[0] : declared[1] + 1])


async def test_llvm_ir_has_them_too(editor: Editor) -> None:
    text = FIXED.replace("@main", '@"\U0001d6fc\U0001d6fd"')
    result = await editor.open(text).request("gpuasync/lowering", llvm=22, stage="llvm-ir", explain=True)
    lines = result.text.splitlines()
    assert "; stream 0: from " in result.text
    assert result.findings
    for found in result.findings:
        assert f"{found.code}: " in lines[found.line].partition(";")[2]
    _check_streams(editor, result)
    (declared,) = [fold for fold in result.folds if fold[2] == "declarations"]
    assert all(line.startswith("declare ") for line in lines[declared[0] : declared[1] + 1])


async def test_the_users_own_tool_has_them_too(fresh: Editor) -> None:
    await fresh.start("emacs", initialization_options={"mlirOpt": list(mlir_opt(22).command)})
    buffer = fresh.open(FIXED)
    ours, theirs = [
        await buffer.request("gpuasync/lowering", llvm=22, explain=True, **engine)
        for engine in ({}, {"engine": "mlir-opt"})
    ]
    assert "// stream 0: from " in theirs.text
    assert theirs.streams == ours.streams
    assert theirs.findings == ours.findings
    assert theirs.folds == ours.folds
    assert theirs.lineMap
    _check_streams(fresh, theirs)


def _check_streams(editor: Editor, result: Any) -> None:
    """Check that the positions marked as streams, in the session's encoding, contain names."""
    lines = result.text.splitlines()
    row = column = 0
    for at in range(0, len(result.streams), 4):
        rows, columns, length, stream = result.streams[at : at + 4]
        row, column = row + rows, columns + (0 if rows else column)
        name = _cut(editor, lines[row], column, length)
        assert name.startswith(("%", "@mgpu")), (lines[row], name)
        assert stream in (0, 1, 2)
    assert result.streams


def _cut(editor: Editor, line: str, column: int, length: int) -> str:
    assert editor.result is not None
    encoding = str(editor.result.capabilities.position_encoding or "utf-16")
    width, name = {"utf-8": (1, "utf-8"), "utf-16": (2, "utf-16-le")}.get(encoding, (4, "utf-32-le"))
    return line.encode(name)[column * width : (column + length) * width].decode(name)


async def test_the_lowering_after_fixes(editor: Editor) -> None:
    buffer = editor.open(SEED)
    before = await buffer.request("gpuasync/lowering", llvm=22)
    after = await buffer.request("gpuasync/lowering", llvm=22, fixed="unsafe")
    assert "gpu.memcpy" in before.text
    assert "gpu.memcpy" not in after.text
    assert any("fixed GA101" in note.message for note in after.notes)
    assert not after.lineMap  # The lines are those of a different text.
    assert (await buffer.request("gpuasync/lowering", llvm=22)).text == before.text
    with pytest.raises(JsonRpcException, match="expected one of safe, unsafe"):
        await buffer.request("gpuasync/lowering", fixed="all")


async def test_descriptors_may_be_folded(editor: Editor) -> None:
    buffer = editor.open(FIXED)
    whole = await buffer.request("gpuasync/lowering", llvm=22)
    folded = await buffer.request("gpuasync/lowering", llvm=22, foldDescriptors=True)
    assert (whole.folded, folded.folded) == (0, whole.text.count("\n") - folded.text.count("\n"))
    assert folded.folded > 10
    lines = folded.text.splitlines()
    links = {line: [lines[row] for row in rows] for line, rows in folded.lineMap}
    line = next(n for n, text in enumerate(FIXED.splitlines()) if "gpu.memcpy" in text)
    assert any("[aligned], " in text for text in links[line])
    # In a comparison both sides are folded, and equal values have equal names.
    like = {"llvm": 22, "foldDescriptors": True}
    other = await buffer.request("gpuasync/lowering", llvm=24, foldDescriptors=True, like=like)
    described = [text for text in lines if " = memref(" in text]
    assert described
    assert set(described) <= set(other.text.splitlines())


async def test_a_lowering_may_be_named_like_another(editor: Editor) -> None:
    buffer = editor.open(SEED)
    before = (await buffer.request("gpuasync/lowering", llvm=22)).text.splitlines()
    after = await buffer.request("gpuasync/lowering", llvm=22, fixed="unsafe")
    like = await buffer.request("gpuasync/lowering", llvm=22, fixed="unsafe", like={"llvm": 22})
    alike, other = (len(set(before) & set(text.splitlines())) for text in (like.text, after.text))
    assert alike > other


async def test_nobody_but_the_user_names_the_engine(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="your own settings"):
        await editor.open(FIXED).request("gpuasync/lowering", engine="mlir-opt")


async def test_what_is_seen_comes_before_the_rest(editor: Editor) -> None:
    text = module(1_000, seed=7)
    seen = types.Range(types.Position(500, 0), types.Position(540, 0))
    buffer = editor.open(text)
    first = await buffer.request("gpuasync/lowering", llvm=22, range=seen)
    whole = await buffer.request("gpuasync/lowering", llvm=22)
    assert (first.isPartial, whole.isPartial) == (True, False)
    assert first.text.count("not lowered yet") > 10
    lowered = [line for line in first.text.splitlines() if "not lowered yet" not in line]
    assert set(lowered) <= set(whole.text.splitlines())
    in_sight, in_whole = (
        {line: rows for line, rows in _linked(result).items() if 500 <= line <= 540}
        for result in (first, whole)
    )
    assert in_sight == in_whole
    assert len(in_sight) > 30
    waiting = next(n for n, line in enumerate(text.splitlines()) if "@f2(" in line)
    assert [line.strip() for line in _linked(first)[waiting]] == ["// @f2: not lowered yet"]
    again = await buffer.request("gpuasync/lowering", llvm=22, range=seen)
    assert (again.text, again.isPartial) == (whole.text, False)


def _linked(result: Any) -> dict[int, list[str]]:
    """Return the lowered lines of each source line, without runtime declarations.

    A declaration belongs to the first line that needs it."""
    lines = result.text.splitlines()
    return {
        line: [lines[row] for row in rows if not lines[row].startswith("  llvm.func @mgpu")]
        for line, rows in result.lineMap
    }


async def test_what_does_not_lower_function_by_function_comes_as_a_whole(editor: Editor) -> None:
    sizes = "(%a, %b, %c) in (%d = %n, %e = %n, %f = %n) threads(%g, %h, %i) in (%j = %n, %k = %n, %l = %n)"
    launch = f"gpu.launch blocks{sizes} {{ gpu.terminator }}"
    extra = f"  func.func @launches(%n: index) {{\n    {launch}\n    return\n  }}\n}}\n"
    buffer = editor.open(module(1_000, seed=8).rstrip().removesuffix("}") + extra)
    seen = types.Range(types.Position(500, 0), types.Position(540, 0))
    first = await buffer.request("gpuasync/lowering", llvm=22, range=seen)
    whole = await buffer.request("gpuasync/lowering", llvm=22)
    assert not first.isPartial
    assert first.text == whole.text
    assert "not lowered yet" not in first.text


async def test_the_command_answers_in_parts_too(editor: Editor) -> None:
    buffer = editor.open(module(1_000, seed=9))
    seen = {"start": {"line": 500, "character": 0}, "end": {"line": 540, "character": 0}}
    argument = {"textDocument": {"uri": buffer.uri}, "range": seen}
    params = {"command": "gpuasync.preview", "arguments": [argument]}
    assert (await editor.request("workspace/executeCommand", params))["isPartial"]
