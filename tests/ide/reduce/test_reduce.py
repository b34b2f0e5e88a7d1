"""The smallest program that still shows something."""

from __future__ import annotations

import random
import stat
import sys
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.reduce.reducer import Reducer
from gpuasync_lsp.ide.reduce.tests import crashes, has_finding, succeeds
from gpuasync_lsp.processes import Command, Origin
from tests.differential.dumps import programs, settings
from tests.support.tools import ROOT, SHARED, missing, mlir_opt

BROKEN = sorted((ROOT / "examples" / "broken").glob("*.mlir"))


def codes(text: str) -> set[str]:
    """Return the rules of the findings of a text."""
    return {finding.code for finding in Checker(settings(22)).check(text)}


def reduced(text: str, code: str) -> Reducer:
    """Return what is left of a text with a finding."""
    reducer = Reducer(text, has_finding(code, settings(22), text), 60)
    reducer.run()
    return reducer


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_examples_become_small_and_stay_valid(file: Path) -> None:
    text = file.read_text()
    tool = mlir_opt(22)
    for code in sorted(codes(text)):
        found = reduced(text, code)
        assert found.is_done
        assert code in codes(found.best)
        assert len(found.best) < len(text)
        assert tool(found.best).code == 0, found.best


def test_what_is_left_cannot_be_left_out() -> None:
    text = (ROOT / "examples" / "broken" / "destroyed_twice.mlir").read_text()
    lines = reduced(text, "GA201").best.splitlines()
    assert [line.split()[0] for line in lines] == ["func.func", "%stream", "gpu.wait", "return", "}"]


def test_one_part_of_a_file_is_enough() -> None:
    text = "// -----\n".join(file.read_text() for file in BROKEN)
    assert "-----" not in reduced(text, "GA205").best


def test_types_and_regions_become_smaller() -> None:
    text = """\
func.func @f(%n: index, %m: memref<32x64xf32>, %c: i1) {
  scf.if %c {
    %t = gpu.wait async
    %u = gpu.wait async [%t]
    %d = gpu.memset async [%t, %u, %t] %m, %f : memref<32x64xf32>, f32
  }
  return
}
""".replace("%c: i1", "%c: i1, %f: f32")
    best = reduced(text, "GA101").best
    assert "scf.if" not in best
    assert "memref<1x1xf32>" in best
    assert best.count("gpu.wait") == 0


def test_the_time_is_bounded() -> None:
    text = BROKEN[0].read_text()
    reducer = Reducer(text, lambda _: True, 0)
    assert (reducer.run(), reducer.tried, reducer.is_done) == (text, 0, False)


def script(tmp_path: Path, body: str) -> Command:
    """Return the command of a Python script."""
    path = tmp_path / "script"
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Command((str(path),), Origin.COMMAND_LINE)


def test_a_script(tmp_path: Path) -> None:
    command = script(tmp_path, "import sys\nsys.exit('gpu.memcpy' not in open(sys.argv[1]).read())\n")
    text = (ROOT / "examples" / "broken" / "two_dependencies.mlir").read_text()
    reducer = Reducer(text, succeeds(command, str(tmp_path)), 60)
    best = reducer.run()
    assert "gpu.memcpy" in best
    assert "gpu.alloc" not in best


def test_a_crash(tmp_path: Path) -> None:
    body = "import os, sys\nif 'gpu.memcpy' in sys.stdin.read():\n"
    command = script(tmp_path, f"{body}    print('LLVM ERROR: of a copy', file=sys.stderr)\n    os.abort()\n")
    text = (ROOT / "examples" / "broken" / "two_dependencies.mlir").read_text()
    holds, said = crashes(command, text)
    assert said == "LLVM ERROR: of a copy"
    best = Reducer(text, holds, 60).run()
    assert "gpu.memcpy" in best
    assert "gpu.alloc" not in best
    with pytest.raises(ValueError, match="does not crash"):
        crashes(command, "func.func @f() { return }\n")


@pytest.mark.slow
def test_programs_that_nobody_prepared() -> None:
    if not SHARED.is_dir():
        missing("the shared programs are not there")
    tool = mlir_opt(22)
    for file in random.Random(4).sample(programs(22), 40):
        text = file.read_text("utf-8")
        found = {code for code in codes(text) if code[2] != "0"}
        if "// -----" in text or not found or tool(text).code != 0:
            continue
        code = min(found)
        best = reduced(text, code).best
        assert code in codes(best), file.name
        assert tool(best).code == 0, (file.name, best)
