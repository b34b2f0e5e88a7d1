"""`gpuasync/target`: the LLVM version that the server uses, and its source."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from gpuasync_lsp.releases import DEFAULT
from tests.lsp.editor import Buffer, Editor
from tests.lsp.examples import SEED

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def target(buffer: Buffer) -> tuple[int, str]:
    found = await buffer.request("gpuasync/target")
    return found.llvm, found.origin


async def test_without_a_word_it_is_the_newest(editor: Editor) -> None:
    assert await target(editor.open(SEED)) == (DEFAULT, "newest release")


async def test_a_comment_is_followed_as_it_is_typed(editor: Editor) -> None:
    buffer = editor.open("// gpuasync: llvm=22\n" + SEED)
    assert await target(buffer) == (22, "comment on line 1")
    buffer.change("llvm=22", "llvm=16")
    assert await target(buffer) == (16, "comment on line 1")


async def test_a_setting_and_its_change(fresh: Editor) -> None:
    # Without capabilities, settings and diagnostics are pushed; new diagnostics show that a change applies.
    bare = types.ClientCapabilities()
    await fresh.start("emacs", capabilities=bare, initialization_options={"llvm": 19})
    buffer = fresh.open(SEED)
    assert await target(buffer) == (19, "setting")
    await buffer.diagnostics()
    fresh.published.clear()
    fresh.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"gpuasync": {"llvm": 20}})
    )
    await buffer.diagnostics()
    assert await target(buffer) == (20, "setting")


async def test_a_configuration_file(editor: Editor, tmp_path: Path) -> None:
    config = tmp_path / "gpuasync.toml"
    config.write_text("llvm = 18\n")
    buffer = editor.open(SEED, (tmp_path / "copy.mlir").as_uri())
    assert await target(buffer) == (18, str(config))


async def test_the_mlir_opt_of_the_user(fresh: Editor, tmp_path: Path) -> None:
    program = tmp_path / "mlir-opt"
    program.write_text("#!/bin/sh\necho '  LLVM version 21.1.0'\n")
    program.chmod(0o755)
    await fresh.start("emacs", initialization_options={"mlirOpt": str(program)})
    assert await target(fresh.open(SEED)) == (21, str(program))
