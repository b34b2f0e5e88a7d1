"""Host programs print what LLVM 22's own mlir-runner prints."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.exec.harness import run
from tests.tools import missing, mlir_opt, real_tool

LIBRARIES = Path("/usr/lib/llvm-22/lib")

PASSES = (
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
)


def printing(element: str, suffix: str, shape: str, value: str) -> str:
    extents = [int(n) for n in shape.split("x")] if shape else []
    type = f"memref<{''.join(f'{n}x' for n in extents)}{element}>"
    index = ", ".join("%c0" for _ in extents)
    fill = "".join(f"    memref.store %v, %m[{', '.join(f'%i{d}' for d in range(len(extents)))}] : {type}\n")
    head = "".join(f"    scf.for %i{d} = %c0 to %n{d} step %c1 {{\n" for d in range(len(extents)))
    sizes = "".join(f"    %n{d} = arith.constant {n} : index\n" for d, n in enumerate(extents))
    return f"""
func.func private @printMemref{suffix}(memref<*x{element}>)
func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
{sizes}    %v = arith.constant {value} : {element}
    %w = arith.constant {"7" if element.startswith("i") else "0.1"} : {element}
    %m = memref.alloc() : {type}
{head}{fill}{"    }" * len(extents)}
    memref.store %w, %m[{index}] : {type}
    %u = memref.cast %m : {type} to memref<*x{element}>
    func.call @printMemref{suffix}(%u) : (memref<*x{element}>) -> ()
    memref.dealloc %m : {type}
    return
}}
"""


SCALARS = """
func.func private @printI64(i64)
func.func private @printU64(i64)
func.func private @printF32(f32)
func.func private @printF64(f64)
func.func private @printOpen()
func.func private @printClose()
func.func private @printComma()
func.func private @printNewline()
func.func @main() {
  %a = arith.constant -5 : i64
  %b = arith.constant 3.14159274 : f32
  %c = arith.constant 1.0e-9 : f64
  %d = arith.constant 123456789.0 : f64
  func.call @printOpen() : () -> ()
  func.call @printI64(%a) : (i64) -> ()
  func.call @printComma() : () -> ()
  func.call @printU64(%a) : (i64) -> ()
  func.call @printComma() : () -> ()
  func.call @printF32(%b) : (f32) -> ()
  func.call @printComma() : () -> ()
  func.call @printF64(%c) : (f64) -> ()
  func.call @printComma() : () -> ()
  func.call @printF64(%d) : (f64) -> ()
  func.call @printClose() : () -> ()
  func.call @printNewline() : () -> ()
  return
}
"""

PROGRAMS = {
    "scalars": SCALARS,
    "rank 0": printing("f64", "F64", "", "1.0e20"),
    "rank 1": printing("f32", "F32", "5", "1.5"),
    "rank 2": printing("i32", "I32", "2x3", "-3"),
    "rank 3": printing("f32", "F32", "2x2x2", "0.333333343"),
    "one row": printing("f64", "F64", "1x2", "2.5"),
    "i64": printing("i64", "I64", "3", "-9000000000"),
    "index": printing("index", "Ind", "2x2", "12").replace(
        "arith.constant 0.1 : index", "arith.constant 3 : index"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_mlir_runner_prints(name: str, tmp_path: Path) -> None:
    text = PROGRAMS[name]
    runner = real_tool("mlir-runner-22")
    libraries = sorted(LIBRARIES.glob("libmlir*_runner_utils.so*"))
    if not libraries:
        missing("libmlir_runner_utils of LLVM 22 is not installed")
    lowered = mlir_opt(22)(text, *PASSES)
    assert lowered.code == 0, lowered.err
    file = tmp_path / "lowered.mlir"
    file.write_text(lowered.out)
    shared = f"--shared-libs={','.join(map(str, libraries))}"
    done = subprocess.run(
        [*runner.command, str(file), "-e", "main", "--entry-point-result=void", shared],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    report = run(text)
    assert report.outcome == "ok", report
    assert _plain(report.output) == _plain(done.stdout)


def _plain(text: str) -> str:
    return re.sub(r"base@ = 0x[0-9a-f]+", "base@ = 0x", text)
