"""The setting `dialects`: IRDL files named by a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.syntax import parse_source, use_dialects
from gpuasync_lsp.text import Severity
from tests.support.markers import Found, disagreements, expected
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt
from tests.syntax.test_extensions import IRDL, TEXT

TEXTS = texts_beside(__file__)


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


WRONG = TEXTS["WRONG"]
TWO_TYPES = IRDL.replace("@tiny", "@two").replace(
    "%0 = irdl.is i32", "%a = irdl.is i32\n      %b = irdl.is f32\n      %0 = irdl.any_of(%a, %b)"
)


def test_ops_of_an_irdl_file_are_verified_as_by_mlir_opt(tmp_path: Path) -> None:
    (tmp_path / "two.irdl").write_text(TWO_TYPES)
    (tmp_path / "gpuasync.toml").write_text('dialects = ["two.irdl"]\n')
    assert SettingsResolver().resolve(tmp_path / "a.mlir", WRONG).problems == ()
    (placed,) = parse_source(WRONG).items
    problems = (*placed.item.problems, *placed.item.invalid)
    assert disagreements(WRONG, [Found(Severity.ERROR, p.span, p.code, p.message) for p in problems]) == []
    # mlir-opt stops at the first error, so run it on one statement at a time.
    irdl, lines = f"--irdl-file={tmp_path / 'two.irdl'}", WRONG.split("\n")
    for marker in expected(WRONG):
        text = "\n".join([lines[0], lines[marker.line], "  return", "}"])
        assert f": error: {marker.text}" in mlir_opt(22)(text, irdl).err
