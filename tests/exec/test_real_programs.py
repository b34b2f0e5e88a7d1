"""The command that runs folders of programs tells what they came to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exec.real_programs import main

RUN = "// RUN: mlir-opt %s | mlir-runner | FileCheck %s\n"
PRINTS = """func.func @main() {
  %c = arith.constant 7 : index
  vector.print %c : index
  return
}
"""
SCHEDULED = """module attributes {transform.with_named_sequence} {
  func.func @main(%a: memref<8x8xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
      gpu.terminator
    }
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    transform.yield
  }
}
"""


def test_programs_are_right_wrong_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "right.mlir").write_text(f"{RUN}// CHECK: {{{{^}}}}7\n{PRINTS}")
    (tmp_path / "wrong.mlir").write_text(f"{RUN}// CHECK: 8\n{PRINTS}")
    (tmp_path / "scheduled.mlir").write_text(SCHEDULED)
    (tmp_path / "lowered.mlir").write_text(f"// RUN: mlir-opt %s | FileCheck %s\n{PRINTS}")
    assert main([str(tmp_path)]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[:2] for row in rows[:-1]] == [
        ["right", "right.mlir"],
        ["refused", "scheduled.mlir"],
        ["wrong", "wrong.mlir"],
    ]
    assert "6: no lowering is known for linalg.matmul in a kernel: the file's transform schedule" in rows[1]
    assert rows[-1] == "3 programs: 1 right, 1 refused, 1 wrong"
