"""A dialect of the user's own, from the dump of its `.td` file, in an editor."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.lsp.editor import TIMEOUT, Buffer, Editor
from tests.support.tools import FIXTURES

pytestmark = pytest.mark.asyncio(loop_scope="session")

DIALECTS = FIXTURES / "dialects"
TEXT = """func.func @f(%a: memref<4x16xi8>, %s: i64, %n: i32) {
  systolic.config_st %n : i32
  systolic.tile_matmul %a, %a act <relu> : memref<4x16xi8>, memref<4x16xi8>
  systolic.ti
  return
}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def project(fresh: Editor, tmp_path: Path) -> Editor:
    (tmp_path / "gpuasync.toml").write_text('ignore = []\ndialects = ["systolic.json"]\n')
    for name in ("systolic.json", "systolic.td"):
        (tmp_path / name).write_text((DIALECTS / name).read_text())
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "project")
    await fresh.start("visual-studio-code", workspace_folders=[folder])
    return fresh


async def _labels(buffer: Buffer, needle: str, shift: int) -> list[str]:
    found = await buffer.request("textDocument/completion", buffer.at(needle, shift))
    return [item.label for item in (found if isinstance(found, list) else found.items)]


async def test_its_ops_are_verified_completed_documented_and_found(project: Editor, tmp_path: Path) -> None:
    buffer = project.open(TEXT, (tmp_path / "a.mlir").as_uri())
    said = {each.range.start.line: each.message for each in await buffer.diagnostics()}
    assert "operand #0 must be 64-bit signless integer, but got 'i32'" in said[1]
    assert 2 not in said
    assert "systolic.tile_matmul" in await _labels(buffer, "systolic.ti\n", len("systolic.ti"))
    # The cases of the dialect's enumeration.
    assert {"none", "relu", "layernorm"} <= set(await _labels(buffer, "<relu>", 1))
    hover = await buffer.request("textDocument/hover", buffer.at("config_st", 1))
    assert "Sets the stride of the following" in hover.contents.value
    (link,) = await buffer.request("textDocument/definition", buffer.at("config_st", 1))
    place = (link.target_uri, link.target_selection_range.start.line)
    lines = (tmp_path / "systolic.td").read_text().split("\n")
    assert place == ((tmp_path / "systolic.td").as_uri(), place[1])
    assert lines[place[1]].startswith("def Systolic_ConfigStOp")


@pytest.mark.parametrize(
    "dump", ["{", "[]", '{"!instanceof": {}}', '{"!instanceof": {"Op": ["A"]}, "A": 3}'], ids=range(4)
)
async def test_a_dump_that_is_none_is_one_problem_at_the_setting(
    project: Editor, tmp_path: Path, dump: str
) -> None:
    (tmp_path / "systolic.json").write_text(dump)
    await project.open(TEXT, (tmp_path / "a.mlir").as_uri()).diagnostics()
    key = ((tmp_path / "gpuasync.toml").as_uri(), None)
    async with project.arrived:
        await asyncio.wait_for(project.arrived.wait_for(lambda: project.published.get(key)), TIMEOUT)
    (shown,) = project.published[key]
    assert shown.range.start.line == 1
    assert "systolic.json" in shown.message
