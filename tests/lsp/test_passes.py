"""Requests for the effects of a dump's passes."""

from __future__ import annotations

import pytest
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Editor
from tests.support.tools import ROOT

pytestmark = pytest.mark.asyncio(loop_scope="session")
DUMP = (ROOT / "examples" / "dumps" / "two_streams.txt").read_text()


async def test_passes_of_a_dump(editor: Editor) -> None:
    buffer = editor.open("// gpuasync: llvm=22\n" + DUMP)
    found = await buffer.request("gpuasync/passes")
    rows = found.passes
    assert [row.name for row in rows] == [
        "input", "canonicalize", "gpu-async-region", "canonicalize", "gpu-to-llvm"
    ]  # fmt: skip
    assert [row.changed for row in rows] == [None, False, True, True, True]
    assert [each.code for each in rows[3].begin] == ["GA201"]
    lines = buffer.text.split("\n")
    assert all("IR Dump After" in lines[row.line] for row in rows[1:])
    assert "-1 stream" in rows[3].what
    assert "begins GA201" in found.text
    command = {"command": "gpuasync.passes", "arguments": [buffer.params()]}
    assert (await editor.request("workspace/executeCommand", command))["text"] == found.text


async def test_the_difference_that_a_pass_made(editor: Editor) -> None:
    buffer = editor.open("// gpuasync: llvm=22\n" + DUMP)
    rows = (await buffer.request("gpuasync/passes", function="upload")).passes
    row = rows[3]
    sides = await buffer.request("gpuasync/passDifference", before=row.before, after=row.line)
    assert all("  func.func @upload(" in getattr(sides, side) for side in ("before", "after"))
    params = buffer.params(before=row.before, after=row.line, function="upload")
    sides = await editor.request("gpuasync/passDifference", params)
    before, after = (getattr(sides, side).splitlines() for side in ("before", "after"))
    assert all(side[0].lstrip().startswith("func.func @upload") for side in (before, after))
    gone = [line.strip() for line in before if line not in after]
    come = [line.strip() for line in after if line not in before]
    assert any("gpu.wait async [" in line for line in gone)
    assert all("gpu.wait async" not in line for line in come)
    with pytest.raises(JsonRpcException):
        await buffer.request("gpuasync/passDifference", after=3)


async def test_findings_of_the_first_dump_do_not_begin_with_a_pass(editor: Editor) -> None:
    sections = DUMP.split("// -----// ")
    last = next(index for index, each in enumerate(sections) if "gpu-to-llvm" in each.partition("\n")[0])
    buffer = editor.open("// gpuasync: llvm=22\n// -----// " + "// -----// ".join(sections[last - 1 :]))
    found = await buffer.request("gpuasync/passes")
    assert (
        found.summary
        == "2 passes, 1 with changes; 1 finding in the first dump, 0 findings begin, 1 ends (LLVM 22)."
    )
    assert "already there: GA201" in found.text
    assert "begins" not in found.text.replace(found.summary, "")


async def test_a_function_that_the_dump_does_not_have(editor: Editor) -> None:
    buffer = editor.open(DUMP)
    with pytest.raises(JsonRpcException, match="no function @uplo"):
        await buffer.request("gpuasync/passes", function="uplo")


async def test_a_text_that_is_no_dump(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="not an IR dump"):
        await editor.open("func.func @f() {\n  return\n}\n").request("gpuasync/passes")
