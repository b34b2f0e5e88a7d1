"""Hover, through the server."""

from __future__ import annotations

import pytest
from lsprotocol import types

from gpuasync_lsp.releases import SPAN
from tests.lsp.editor import Buffer, Editor
from tests.lsp.examples import KERNEL, SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def hover(buffer: Buffer, needle: str, shift: int = 1) -> tuple[str, str]:
    """Return the hover at `needle`, and the text in its range."""
    found = await buffer.request("textDocument/hover", buffer.at(needle, shift))
    assert isinstance(found, types.Hover)
    assert found.range is not None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value, buffer.slice(found.range)


async def test_a_token_tells_its_stream_and_its_life(editor: Editor) -> None:
    text, about = await hover(editor.open(SEED), "%6] %1")
    assert about == "%6"
    assert "!gpu.async.token" in text
    assert "stream 0" in text
    assert "created by `%0 = gpu.wait async`" in text
    assert "waited for and destroyed by `gpu.wait [%4]`" in text


async def test_versions_that_differ_are_told_apart(editor: Editor) -> None:
    text, _ = await hover(editor.open(SEED), "gpu.memcpy")
    assert f"LLVM {SPAN}" in text
    assert "not lowered" in text
    source = SEED.replace("gpu.alloc async [%0] (%c2)", "gpu.alloc async (%c2)", 1)
    text, _ = await hover(editor.open(source), "gpu.alloc async (")
    assert "LLVM 23 to 24" in text
    assert "LLVM 16 to 22" in text


async def test_an_op_tells_what_it_lowers_to(editor: Editor) -> None:
    text, about = await hover(editor.open(SEED), "gpu.dealloc")
    assert about == "gpu.dealloc"
    assert "mgpuMemFree" in text
    text, _ = await hover(editor.open(SEED), "gpu.wait [")
    assert "mgpuStreamSynchronize" in text
    assert "mgpuStreamDestroy" in text


async def test_a_value_tells_its_type(editor: Editor) -> None:
    text, about = await hover(editor.open(SEED), "%c2)")
    assert about == "%c2"
    assert "index" in text


async def test_a_kernel_tells_its_signature(editor: Editor) -> None:
    text, about = await hover(editor.open(KERNEL), "::@scale", 3)
    assert about == "@scale"
    assert "gpu.func @scale(%m: memref<8xf32>, %f: f32) kernel" in text


async def test_a_rule_in_a_comment_is_explained(editor: Editor) -> None:
    text, about = await hover(editor.open("// gpuasync: ignore-file[GA101]\n" + SEED), "GA101")
    assert about == "GA101"
    assert "too-many-dependencies" in text


async def test_hover_works_beside_a_syntax_error(editor: Editor) -> None:
    broken = SEED.replace(
        "    %c2 = arith.constant 2 : index\n", "    %c2 = arith.constant 2 : index\n    %e = = ?\n"
    )
    text, _ = await hover(editor.open(broken), "%6] %1")
    assert "!gpu.async.token" in text


async def test_nothing_to_say_between_the_lines(editor: Editor) -> None:
    buffer = editor.open("\n\n" + SEED)
    assert await buffer.request("textDocument/hover", types.Position(0, 0)) is None
