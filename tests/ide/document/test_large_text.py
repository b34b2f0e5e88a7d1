"""Texts so large that a time limit ends the check early."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.ide.document import large_text
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver

LEAKING = """func.func @leaks_{}() {{
  %s = gpu.wait async
  return
}}
"""
TEXT = "".join(map(LEAKING.format, range(5)))


def checker() -> Checker:
    return Checker(SettingsResolver(Settings(), None).resolve(None, TEXT))


def test_all_is_checked_in_enough_time() -> None:
    found, stopped = large_text.check_in_time(checker(), TEXT, lambda: 0.0)
    assert stopped is None
    assert found == checker().check(TEXT)
    assert len(found) == 5


def test_what_is_read_in_the_time_is_checked_and_nothing_else() -> None:
    # Each reading of the clock advances it by a tenth of the limit.
    ticks = count(step=0.5)
    found, stopped = large_text.check_in_time(checker(), TEXT, lambda: next(ticks) * large_text.SECONDS / 5)
    assert stopped is not None
    assert 0 < len(found) < 5
    assert TEXT[stopped:].startswith(f"func.func @leaks_{len(found)}")
    assert found == tuple(f for f in checker().check(TEXT) if f.span.start < stopped)


def test_an_item_is_not_begun_that_takes_more_than_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = LEAKING.format(0), LEAKING.format(1).replace("return", "return // more than before")
    monkeypatch.setattr(large_text, "_READING", 1.0)
    monkeypatch.setattr(large_text, "_PER_CHARACTER", large_text.SECONDS / (len(small) + 5))
    found, stopped = large_text.check_in_time(checker(), small + large, lambda: 0.0)
    assert len(found) == 1
    assert stopped == len(small)


def test_the_command_says_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(large_text, "SECONDS", -1.0)
    monkeypatch.setattr(large_text, "_LEAST", -1.0)
    path = tmp_path / "large.mlir"
    path.write_text("// A comment before.\n" + TEXT)
    assert main(["check", "--fix", str(path)]) == 2
    assert (
        "large.mlir:2: not checked from here on (21 of 22 lines), and not repaired" in capsys.readouterr().err
    )
    assert path.read_text().endswith(TEXT)
