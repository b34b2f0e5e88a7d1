"""Reduction to the smallest program with the same finding or behavior."""

from __future__ import annotations

import random
import stat
import sys
from pathlib import Path

import pytest

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.reduce.elements import removals, simpler_types, without_elements
from gpuasync_lsp.ide.reduce.reducer import Reducer
from gpuasync_lsp.ide.reduce.results import fewer_results
from gpuasync_lsp.ide.reduce.tests import crashes, has_finding, succeeds
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.syntax import parse_source
from tests.differential.dumps import programs, settings
from tests.support.texts import texts_beside
from tests.support.tools import ROOT, SHARED, missing, mlir_opt

TEXTS = texts_beside(__file__)

BROKEN = sorted((ROOT / "examples" / "broken").glob("*.mlir"))


def codes(text: str) -> set[str]:
    """Return the codes of the findings in a text."""
    return {finding.code for finding in Checker(settings(22)).check(text)}


def reduced(text: str, code: str) -> Reducer:
    """Return the reducer after it has reduced a text that has a finding with this code."""
    reducer = Reducer(text, has_finding(code, settings(22), text).holds, 60)
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
    assert "memref<1xf32>" in best
    assert best.count("gpu.wait") == 0


LISTS = TEXTS["LISTS"]


@pytest.mark.parametrize(
    ("kept", "gone"),
    [
        (["@helper(%z", "(%x: i32"], ["strided", "%m", "-> (index"]),
        *(
            pytest.param(kept, gone, marks=pytest.mark.slow)
            for kept, gone in (
                (["gpu.launch_func"], ["#map", "args(", "%a", "%m", "->", "@helper", "memref"]),
                (["^bb1("], ["#map", "args(", "%m", "-> (index"]),
                (["^bb1", "call @helper"], ["#map", "i32", "^bb1(", "%m"]),
                (["memref.store"], ["strided", "x8x", "4x", "%p", "@k"]),
            )
        ),
    ],
)
def test_arguments_operands_and_types_are_left_out(kept: list[str], gone: list[str]) -> None:
    """Unused arguments are removed, with the operands of calls, launches and branches, and mlir-opt
    accepts it."""
    tool = mlir_opt(22)

    def holds(text: str) -> bool:
        return all(word in text for word in kept) and tool(text).code == 0

    assert holds(LISTS)
    best = Reducer(LISTS, holds, 60).run()
    assert not [word for word in gone if word in best], best


@pytest.mark.parametrize(
    "text", ["func.func @f(" * 3_000, "func.func @f(%a: memref<" + "[" * 30_000, "^a(" * 9_000]
)
def test_lists_without_end(text: str) -> None:
    for removal in removals(parse_source(text)):
        without_elements(text, [removal])
    assert len(list(simpler_types(text))) < 10


def test_the_time_is_bounded() -> None:
    text = BROKEN[0].read_text()
    reducer = Reducer(text, lambda _: True, 0)
    assert (reducer.run(), reducer.tried, reducer.is_done) == (text, 0, False)


def script(tmp_path: Path, body: str) -> Command:
    """Return a command that runs a Python script."""
    path = tmp_path / "script"
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Command((str(path),), Origin.COMMAND_LINE)


def test_a_script(tmp_path: Path) -> None:
    command = script(tmp_path, "import sys\nsys.exit('gpu.memcpy' not in open(sys.argv[1]).read())\n")
    text = (ROOT / "examples" / "broken" / "two_dependencies.mlir").read_text()
    reducer = Reducer(text, succeeds(command, str(tmp_path)).holds, 60)
    best = reducer.run()
    assert "gpu.memcpy" in best
    assert "gpu.alloc" not in best


def test_a_crash(tmp_path: Path) -> None:
    body = "import os, sys\nif 'gpu.memcpy' in sys.stdin.read():\n"
    command = script(tmp_path, f"{body}    print('LLVM ERROR: of a copy', file=sys.stderr)\n    os.abort()\n")
    text = (ROOT / "examples" / "broken" / "two_dependencies.mlir").read_text()
    sought = crashes(command, text)
    assert sought.what == f"the crash of {command.name}: LLVM ERROR: of a copy"
    best = Reducer(text, sought.holds, 60).run()
    assert sought.output(best) == "LLVM ERROR: of a copy"
    assert "gpu.memcpy" in best
    assert "gpu.alloc" not in best
    with pytest.raises(ValueError, match="does not crash"):
        crashes(command, "func.func @f() { return }\n")


FILLED = TEXTS["FILLED"]


def test_a_crash_of_mlir_opt() -> None:
    """LLVM 22 crashes when it computes the width of a complex number; 19 does not."""
    mlir_opt(22)
    named = {
        version: Command((f"mlir-opt-{version}", "--gpu-to-llvm"), Origin.COMMAND_LINE)
        for version in (19, 22)
    }
    sought = crashes(named[22], FILLED)
    best = Reducer(FILLED, sought.holds, 60).run()
    assert [line.split()[0] for line in best.splitlines()] == ["func.func", "%t2", "return", "}"]
    assert "getWidth" in sought.output(best)
    # A crash at another place does not count as the same.
    assert not sought.holds("func.func @f(%x: i32) { %r = gpu.launch blocks(%x")
    mlir_opt(19)
    with pytest.raises(ValueError, match="does not crash"):
        crashes(named[19], FILLED)


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


CARRIED = TEXTS["CARRIED"]


def test_every_text_with_one_result_less_is_read_by_mlir_opt() -> None:
    waiting, seen = [CARRIED], {CARRIED}
    while waiting:
        for text in fewer_results(waiting.pop()):
            if text not in seen:
                seen.add(text)
                waiting.append(text)
    done = mlir_opt(22)("\n// -----\n".join(sorted(seen)), "--split-input-file")
    assert not done.err
    assert len(seen) > 20
    assert any("iter_args(%t = %t0) -> (!gpu.async.token) {" in text for text in seen)
    assert any("iter_args" not in text for text in seen)
    assert any("%p:2 = func.call @pair(%n) : (index) -> (index, f32)" in text for text in seen)


WHILES = TEXTS["WHILES"]


def test_every_while_with_one_value_less_is_read_by_mlir_opt() -> None:
    waiting, seen = [WHILES], {WHILES}
    while waiting:
        for text in fewer_results(waiting.pop()):
            if text not in seen:
                seen.add(text)
                waiting.append(text)
    done = mlir_opt(22)("\n// -----\n".join(sorted(seen)), "--split-input-file")
    assert not done.err
    assert any("scf.while (%x = %s, %k = %zero)" in text for text in seen)
    assert any("gpu.memset async [%t0] %m, %s" in text and "^bb0:" in text for text in seen)
    assert any("scf.condition(%c)\n" in text and "%r" not in text for text in seen)


def test_what_loops_carry_and_calls_give_back_is_left_out(tmp_path: Path) -> None:
    words = (
        "text = open(sys.argv[1]).read()\nsys.exit(not ('memset async [%t]' in text and 'scf.for' in text))\n"
    )
    holds = succeeds(script(tmp_path, f"import sys\n{words}"), str(tmp_path)).holds
    tool = mlir_opt(22)
    best = Reducer(CARRIED, lambda text: holds(text) and tool(text).code == 0, 60).run()
    assert best.count("iter_args(%t = %t0)") == 1
    assert "@pair" not in best
    assert "scf.if" not in best
