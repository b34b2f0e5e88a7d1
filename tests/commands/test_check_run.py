"""`check --run`: findings of the rules and of a run, without duplicates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuasync_lsp.cli import main
from gpuasync_lsp.ide.run.merging import with_run
from gpuasync_lsp.text import Finding, LineIndex, Related, Severity, Span

TEXT = "one\ntwo\nthree\n"


def finding(code: str, name: str, line: int, *others: int) -> Finding:
    def span(number: int) -> Span:
        return Span(LineIndex(TEXT).starts[number], LineIndex(TEXT).line_end(number))

    related = tuple(Related(span(other), "there") for other in others)
    return Finding(code, name, Severity.ERROR, span(line), f"{name} of {code}", related)


def test_the_same_thing_at_the_same_lines_is_one_finding() -> None:
    rule, run = finding("GA301", "data-race", 0, 1), finding("data-race", "data-race", 1, 0)
    (merged,) = with_run([rule], [run, run], LineIndex(TEXT))
    assert merged.code == "GA301"
    assert [related.message for related in merged.related] == [
        "there",
        "a run found it: data-race of data-race",
    ]


def test_other_things_and_other_lines_stay_apart() -> None:
    rule = finding("GA301", "data-race", 0)
    elsewhere, other = finding("data-race", "data-race", 2), finding("out-of-bounds", "out-of-bounds", 0)
    found = with_run([rule], [elsewhere, other], LineIndex(TEXT))
    assert [each.code for each in found] == ["GA301", "GA301", "out-of-bounds"]


OUTSIDE = """\
func.func @main() {
  %one = arith.constant 1 : index
  %threads = arith.constant 8 : index
  %stream = gpu.wait async
  %buffer, %ready = gpu.alloc async [%stream] () : memref<4xf32>
  %done = gpu.launch async [%ready] blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {
    %value = arith.constant 1.0 : f32
    memref.store %value, %buffer[%tx] : memref<4xf32>
    gpu.terminator
  }
  %freed = gpu.dealloc async [%done] %buffer : memref<4xf32>
  gpu.wait [%freed]
  return
}
"""


def test_what_only_a_run_finds_is_in_the_list(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    pytest.importorskip("numpy")
    path = tmp_path / "outside.mlir"
    path.write_text(OUTSIDE)
    call = ["check", "--no-cache", "--select", "GA3", "--output-format", "json", str(path)]
    assert main(call) == 0
    capfd.readouterr()
    assert main([*call, "--run"]) == 1
    (found,) = json.loads(capfd.readouterr().out)["findings"]
    assert (found["code"], found["severity"]) == ("out-of-bounds", "error")
    assert found["start"]["line"] == 1 + OUTSIDE.splitlines().index(
        "    memref.store %value, %buffer[%tx] : memref<4xf32>"
    )


def test_a_file_without_a_program_is_a_note(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "declared.mlir"
    path.write_text("func.func private @elsewhere()\n")
    assert main(["check", "--no-cache", "--run", str(path)]) == 0
    assert "declared.mlir: not run: " in capfd.readouterr().err
