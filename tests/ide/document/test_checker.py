"""The checker used by the command line and the server, on whole texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.analysis import check_source
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.text import Finding, apply_edits
from tests.support.texts import texts_beside
from tests.support.tools import ROOT

TEXTS = texts_beside(__file__)

BROKEN = (ROOT / "examples" / "broken" / "launch_dependencies.mlir").read_text("utf-8")
EXAMPLES = sorted((ROOT / "examples").rglob("*.mlir"))


def checker(text: str, **settings: object) -> Checker:
    return Checker(SettingsResolver(Settings(**settings)).resolve(None, text))  # type: ignore[arg-type]


def codes(text: str, **settings: object) -> list[str]:
    return [f.code for f in checker(text, **settings).check(text)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_agrees_with_the_analysis_of_the_whole_text(path: Path) -> None:
    text = path.read_text("utf-8")
    assert list(checker(text).check(text)) == check_source(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_items_have_the_same_findings_wherever_they_stand(path: Path) -> None:
    text = path.read_text("utf-8")
    above = "// a line more\n\n"
    moved = [f.shift(len(above)) for f in checker(text).check(text)]
    one = checker(text)
    one.check(text)
    assert list(one.check(above + text)) == moved


def test_problems_outside_items_are_found() -> None:
    assert codes("module {\n  func.func @f() {\n    return\n  }\n") == ["GA001"]
    assert codes("#a = foo<\nfunc.func @f() {\n  return\n}\n") == ["GA001"]


def test_comments_silence_findings() -> None:
    assert codes(BROKEN, select=("GA101",)) == ["GA101"]
    line = next(line for line in BROKEN.splitlines() if "gpu.launch_func async" in line)
    assert codes(BROKEN.replace(line, f"{line} // gpuasync: ignore[GA101]"), select=("GA101",)) == []
    assert codes("// gpuasync: ignore-file[GA1]\n" + BROKEN, select=("GA101",)) == []


def test_chunks_are_checked_apart() -> None:
    text = f"{BROKEN}// -----\n{BROKEN}"
    found = checker(text, select=("GA101",)).check(text)
    assert [f.span.of(text) for f in found] == ["[%sum_filled, %in_filled]"] * 2
    assert found[1].span.start > text.index("// -----")


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_fixes_end_lines_as_the_text_does(end: str) -> None:
    text = BROKEN.replace("\n", end)
    added = [e.text for f in fixable(text) for fix in f.fixes for e in fix.edits]
    assert any("\n" in new for new in added)
    assert all(new.count("\n") == new.count(end) for new in added)


def fixable(text: str) -> list[Finding]:
    return [f for f in checker(text, select=("GA101",)).check(text) if f.fixes]


UNMARKED = TEXTS["UNMARKED"]


def test_places_in_another_item_hold_after_an_edit_of_that_item() -> None:
    one = checker(UNMARKED, select=("GA004",))
    one.check(UNMARKED)
    for text in (
        UNMARKED.replace("constant 1", "constant 100"),
        UNMARKED.replace("  gpu.module", "\n  gpu.module"),
    ):
        (found,) = one.check(text)
        (related,) = found.related
        assert related.span.of(text) == "gpu.func"
        (fix,) = found.fixes
        assert "gpu.func @k() kernel {" in apply_edits(text, fix.edits)


def test_a_kernel_module_that_is_added_is_suggested() -> None:
    text = UNMARKED.replace("launch_func @kernels::", "launch_func @device::")
    one = checker(text, select=("GA004",))
    assert "use one that exists: @kernels." in one.check(text)[0].message
    (found,) = one.check(text.replace("  func.func", "  gpu.module @devices {\n  }\n  func.func"))
    assert found.message.endswith("@kernels and @devices.")
    assert [fix.title for fix in found.fixes] == ["Change it to @devices"]
