"""Vectors on the CPU: accesses by masks and offsets are checked one by one; prints are as mlir-runner's."""

from __future__ import annotations

import pytest

from tests.exec.harness import run

KERNEL = """
func.func @main(%m: memref<8xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {{
    %v = arith.constant dense<1.0> : vector<4xf32>
    %all = arith.constant dense<true> : vector<4xi1>
    %three = arith.constant dense<[true, true, true, false]> : vector<4xi1>
    %far = arith.constant dense<[0, 9, 1, 2]> : vector<4xi32>
    %zero = arith.constant 0.0 : f32
    %ignored = arith.constant dense<[true, false, true, true]> : vector<4xi1>
    {op}
    gpu.terminator
  }}
  return
}}
"""
LINE = 14

OPS = {
    "maskedload": (
        "%r = vector.maskedload %m[%c5], {mask}, %v"
        " : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
        "%three",
    ),
    "maskedstore": (
        "vector.maskedstore %m[%c5], {mask}, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>",
        "%three",
    ),
    "gather": (
        "%r = vector.gather %m[%c0] [%far], {mask}, %v"
        " : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
        "%ignored",
    ),
    "scatter": (
        "vector.scatter %m[%c0] [%far], {mask}, %v"
        " : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>",
        "%ignored",
    ),
    "compressstore": (
        "vector.compressstore %m[%c5], {mask}, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>",
        "%three",
    ),
    "transfer_read": (
        "%r = vector.transfer_read %m[%c5], %zero, {mask} {{in_bounds = [true]}}"
        " : memref<8xf32>, vector<4xf32>",
        "%three",
    ),
    "transfer_write": (
        "vector.transfer_write %v, %m[%c5], {mask} {{in_bounds = [true]}} : vector<4xf32>, memref<8xf32>",
        "%three",
    ),
}


@pytest.mark.parametrize("name", OPS)
def test_only_elements_that_the_mask_lets_are_accessed(name: str) -> None:
    op, mask = OPS[name]
    clean = run(KERNEL.format(op=op.format(mask=mask)), shared_arguments=True)
    assert clean.outcome == "ok", clean.findings
    wrong = run(KERNEL.format(op=op.format(mask="%all")), shared_arguments=True)
    assert [(f.name, f.place.line) for f in wrong.findings] == [("out-of-bounds", LINE)]


PRINTS = """
func.func @main() {
  %a = arith.constant dense<[[1.5, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
  %b = arith.constant dense<[-1, 2]> : vector<2xi32>
  vector.print %a : vector<2x2xf32>
  vector.print %b : vector<2xi32> punctuation <comma>
  vector.print %b : vector<2xi32>
  return
}
"""


def test_vectors_are_printed_with_brackets() -> None:
    assert run(PRINTS).output == "( ( 1.5, 2 ), ( 3, 4 ) )\n( -1, 2 ), ( -1, 2 )\n"
