"""Ops are printed as the release spells them; the real mlir-opt of each reads what is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.read_back import read_back
from tests.differential.round_trip import round_trip
from tests.support.tools import ROOT, mlir_opt

WRITTEN = ROOT / "tests" / "fixtures" / "spellings"
"""Files of one release, which their names end in."""

PRINTF = """gpu.module @m {
  gpu.func @k(%a: i32) kernel {
    gpu.printf "x %d", %a : i32
    gpu.return
  }
}
"""


@pytest.mark.parametrize(
    ("version", "spelling"), [(16, '"x %d" %arg0'), (19, '"x %d" %arg0'), (20, '"x %d", %arg0')]
)
def test_printf_that_stays_is_spelled_as_the_release_reads_it(version: int, spelling: str) -> None:
    source = PRINTF if version >= 20 else PRINTF.replace('",', '"')
    done = run_pipeline(module_of(parse_source(source).chunks[0]), parse_pipeline("--canonicalize"), version)
    assert f"gpu.printf {spelling} : i32" in print_module(done.module)


OPS = """func.func @f(%m: memref<4xf32>, %i: index, %f: f32, %n: i32) {
  memref.assume_alignment %m, 16 : memref<4xf32>
  scf.parallel (%j) = (%i) to (%i) step (%i) {
    memref.store %f, %m[%j] : memref<4xf32>
  }
  gpu.launch blocks(%x, %y, %z) in (%gx = %i, %gy = %i, %gz = %i)
      threads(%tx, %ty, %tz) in (%sx = %i, %sy = %i, %sz = %i) {
    %r = gpu.all_reduce %n uniform {
    ^bb0(%a: i32, %b: i32):
      "gpu.yield"(%a) : (i32) -> ()
    } : (i32) -> i32
    gpu.terminator
  }
  return
}
"""


@pytest.mark.parametrize(
    ("version", "spellings"),
    [
        (16, ('"gpu.yield"(', "    memref.assume_alignment", "scf.yield")),
        (18, ('"gpu.yield"(', "    memref.assume_alignment", "scf.yield")),
        (19, ("gpu.yield %", "    memref.assume_alignment", "scf.reduce")),
        (20, ("gpu.yield %", "    memref.assume_alignment", "scf.reduce")),
    ],
)
def test_ops_are_spelled_as_the_release_reads_them(version: int, spellings: tuple[str, ...]) -> None:
    done = run_pipeline(module_of(parse_source(OPS).chunks[0]), parse_pipeline("--cse"), version)
    printed = print_module(done.module)
    assert not [each for each in spellings if each not in printed]


@pytest.mark.slow
@pytest.mark.parametrize("version", [16, 17, 18, 19, 20, 22])
def test_what_is_printed_is_read_back(version: int) -> None:
    mlir_opt(version)
    printf = PRINTF if version >= 20 else PRINTF.replace('",', '"')
    assert not read_back(version, {"ops": OPS, "printf": printf}).unread


@pytest.mark.parametrize("path", sorted(WRITTEN.glob("*.mlir")), ids=lambda path: path.stem)
def test_what_one_release_writes_is_read_and_printed_as_there(path: Path) -> None:
    version = int(path.stem.rpartition("_")[2])
    assert [str(each) for each in check_source(path.read_text(), Config(llvm=version))] == []
    found = round_trip(version, [path])
    assert (found.broken, found.accepted) == ({}, path.read_text().count("// -----") + 1)
