"""CHECK lines generated from output: the surrounding text is unchanged, and the checks pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.ide.runlines.results import FileResult, Verdict
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.ide.runlines.update import updated
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.text import LineIndex
from tests.support.command import gpuasync
from tests.support.texts import texts_beside
from tests.support.tools import mlir_opt

TEXTS = texts_beside(__file__)

pytest.importorskip("filecheck")

TEST = TEXTS["TEST"]


def run(text: str) -> FileResult:
    engine = OwnMlirOpt(Command(mlir_opt(22).command, Origin.COMMAND_LINE))
    return run_test(LineIndex(text), "a.mlir", None, engine)


def code(text: str, prefix: str = "CHECK") -> list[str]:
    """Return the lines of a test that are not CHECK lines."""
    return [line for line in text.split("\n") if f"{prefix}" not in line or "RUN:" in line]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_checks_of_the_section_that_failed_are_written(end: str) -> None:
    text = TEST.replace("\n", end)
    after = updated(LineIndex(text), run(text))
    assert code(after) == code(text)
    assert after.split("// -----")[0] == text.split("// -----")[0]
    assert run(after).verdict is Verdict.PASS
    lines = [line.strip() for line in after.split("\n") if "CHECK" in line]
    assert "//  CHECK-SAME:   %[[VAL_0:[a-zA-Z0-9_]+]]: tensor<2x2xi32>," in lines
    assert any(r"dense<{{\[\[}}1, 2], [3, 4]]>" in line for line in lines)
    # The generated checks reject different output.
    assert (
        run(after.replace("arith.addi", "arith.subi").replace("= arith.subi", "= arith.addi", 1)).verdict
        is Verdict.FAIL
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("| FileCheck %s", "| FileCheck %s --check-prefixes=CHECK,MORE", "several prefixes"),
        ("// A test", "// RUN: mlir-opt %s -split-input-file | FileCheck %s\n//", "another RUN line"),
        ("CHECK-LABEL: func.func @bad", "CHECK-LABEL: func.func", "no CHECK-LABEL"),
        ("CHECK-LABEL: func.func @bad", "CHECK-LABEL: func.func @worse", "no @worse"),
        ("//  CHECK-NEXT:   never", "//  CHECK-NEXT: {{.*}}", "no CHECK line of this file has failed"),
    ],
)
def test_where_it_is_not_clear_what_to_write_nothing_is(old: str, new: str, why: str) -> None:
    text = TEST.replace(old, new).replace("  // CHECK: inside\n", "")
    with pytest.raises(Unsupported, match=why):
        updated(LineIndex(text), run(text))


def test_the_command_writes_the_file_once(tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_text(TEST)
    words = ("test", "--update", "--mlir-opt", mlir_opt(22).command[0], str(file))
    done = gpuasync(*words)
    assert (done.returncode, done.stderr) == (0, f"updated {file}\n")
    after = file.read_text()
    assert code(after) == code(TEST)
    assert gpuasync(*words).stderr == ""
    assert file.read_text() == after


def test_the_command_leaves_what_it_cannot_write(tmp_path: Path) -> None:
    text = TEST.replace("CHECK-LABEL: func.func @bad", "CHECK: func.func @bad")
    file = tmp_path / "a.mlir"
    file.write_text(text.replace("CHECK-LABEL: func.func @good", "CHECK: func.func @good"))
    before = file.read_text()
    done = gpuasync("test", "--update", "--mlir-opt", mlir_opt(22).command[0], str(file))
    assert done.returncode == 1
    assert "was not updated" in done.stderr
    assert file.read_text() == before
