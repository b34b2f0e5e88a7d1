"""Vectors on the CPU: masked and indexed accesses are checked element by element; output as by
mlir-runner."""

from __future__ import annotations

import pytest

from tests.exec.harness import run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

KERNEL = TEXTS["KERNEL"]
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


PRINTS = TEXTS["PRINTS"]


def test_vectors_are_printed_with_brackets() -> None:
    assert run(PRINTS).output == "( ( 1.5, 2 ), ( 3, 4 ) )\n( -1, 2 ), ( -1, 2 )\n"
