"""The setting `dialects`: IRDL files that a workspace names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.ide.targets import SettingsResolver
from gpuasync_lsp.syntax import parse_source, use_dialects
from tests.syntax.test_extensions import IRDL, TEXT


@pytest.fixture(autouse=True)
def _only_our_dialects() -> Iterator[None]:
    yield
    use_dialects(())


def known(text: str) -> bool:
    ops = [op for placed in parse_source(text).items for top in placed.item.ops for op in top.walk()]
    return any(op.name == "tiny.twice" for op in ops)


def test_a_workspace_names_an_irdl_file(tmp_path: Path) -> None:
    (tmp_path / "tiny.irdl").write_text(IRDL)
    (tmp_path / "gpuasync.toml").write_text('dialects = ["tiny.irdl"]\n')
    assert not known(TEXT)
    assert SettingsResolver().resolve(tmp_path / "a.mlir", TEXT).problems == ()
    assert known(TEXT)


def test_what_is_wrong_with_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "gpuasync.toml").write_text('dialects = ["nothing.irdl"]\n')
    (problem,) = SettingsResolver().resolve(tmp_path / "a.mlir", TEXT).problems
    assert "nothing.irdl: cannot read this IRDL file" in str(problem)


def test_an_earlier_parse_is_not_used_with_other_dialects(tmp_path: Path) -> None:
    (tmp_path / "tiny.irdl").write_text(IRDL)
    before = parse_source(TEXT)
    (tmp_path / "gpuasync.toml").write_text('dialects = ["tiny.irdl"]\n')
    SettingsResolver().resolve(tmp_path / "a.mlir", TEXT)
    (placed,) = parse_source(TEXT, before).items
    assert [op.name for op in placed.item.ops[0].walk()] == ["func.func", "tiny.twice", "func.return"]
