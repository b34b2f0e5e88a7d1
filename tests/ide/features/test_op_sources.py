"""Go to the definition of an op of a user's dialect in its `.td` file, and files that are not opened."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.state import file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features import op_sources as searched
from gpuasync_lsp.ide.features.op_sources import op_sources
from gpuasync_lsp.syntax import use_dialects
from gpuasync_lsp.text import LineIndex
from tests.support.tools import FIXTURES

DUMP = FIXTURES / "dialects" / "mine.json"
TD = FIXTURES / "dialects" / "mine.td"
TEXT = (
    'func.func @f(%a: i32) {\n  %0 = mine.add %a, %a : i32\n  "mine.strange"(%a) : (i32) -> ()\n  return\n}\n'
)


@pytest.fixture(autouse=True)
def _only_our_dialects() -> Iterator[None]:
    yield
    use_dialects(())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("build", "include/Mine", "test"):
        (root / folder).mkdir(parents=True)
    (root / "gpuasync.toml").write_text('dialects = ["build/Mine.json"]\n')
    (root / "build" / "Mine.json").write_text(DUMP.read_text())
    (root / "include" / "Mine" / "Mine.td").write_text(TD.read_text())
    (root / "test" / "a.mlir").write_text(TEXT)
    return root


def found(project: Path, needle: str, text: str = TEXT) -> list[tuple[str, int]]:
    path = project / "test" / "a.mlir"
    state = file_state(LineIndex(text), path, SettingsResolver())
    offset = text.index(needle) + 2
    sources = op_sources(state, offset, Cancel())
    assert all(each.at.of(text) == needle for each in sources)
    return [(str(each.path.relative_to(project)), each.line + 1) for each in sources]


def test_the_line_is_that_of_the_definition(project: Path) -> None:
    lines = TD.read_text().split("\n")
    ((path, line),) = found(project, "mine.add")
    assert path == "include/Mine/Mine.td"
    assert lines[line - 1].startswith("def Mine_AddOp")
    # An op with C++ assembly, in generic form.
    ((path, line),) = found(project, "mine.strange")
    assert lines[line - 1].startswith("def Mine_CustomOp")
    assert found(project, "func.func") == []


def test_of_a_file_that_is_newer_than_the_dump_it_is_where_the_name_is(project: Path) -> None:
    td = project / "include" / "Mine" / "Mine.td"
    td.write_text("// New.\n" * 40 + TD.read_text())
    ((_, line),) = found(project, "mine.add")
    assert td.read_text().split("\n")[line - 1].startswith("def Mine_AddOp")


def test_of_files_of_one_name_it_is_the_one_that_has_the_op(project: Path) -> None:
    (project / "Mine.td").write_text("// Another dialect.\n" * 60)
    ((path, _),) = found(project, "mine.add")
    assert path == "include/Mine/Mine.td"
    (project / "include" / "Mine.td").write_text(TD.read_text())
    assert {path for path, _ in found(project, "mine.add")} == {"include/Mine.td", "include/Mine/Mine.td"}


def test_nothing_outside_of_the_project_is_found(project: Path) -> None:
    td = project / "include" / "Mine" / "Mine.td"
    outside = project.parent / "Mine.td"
    td.rename(outside)
    assert found(project, "mine.add") == []
    os.symlink(outside, td)  # A link to a file.
    os.symlink(project.parent, project / "linked")  # A link to a folder, which forms a cycle.
    assert found(project, "mine.add") == []
    for name in ("../../Mine.td", "/etc/passwd", "Mine.td/..", str(outside), "Mine.td:1", ".."):
        records = json.loads(DUMP.read_text())
        records["Mine_AddOp"]["!locs"] = [f"{name}:1"]
        (project / "build" / "Mine.json").write_text(json.dumps(records))
        os.utime(project / "build" / "Mine.json", ns=(1, hash(name) % 2**40))
        assert found(project, "mine.add") == []


def test_what_is_no_file_to_read_is_passed_by(project: Path) -> None:
    td = project / "include" / "Mine" / "Mine.td"
    td.unlink()
    td.mkdir()
    assert found(project, "mine.add") == []
    td.rmdir()
    os.mkfifo(td)
    assert found(project, "mine.add") == []
    td.unlink()
    td.write_bytes(b"\xff")
    assert found(project, "mine.add") == []


def test_the_search_is_bounded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searched, "MOST_ENTRIES", 20)
    for number in range(30):
        (project / f"many{number}").mkdir()
    assert found(project, "mine.add") == []
