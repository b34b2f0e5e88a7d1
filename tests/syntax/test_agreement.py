"""A text is parsed once for all releases whose assembly formats agree; they are compared by their formats."""

from __future__ import annotations

import pytest

from gpuasync_lsp.syntax.dialects import context
from gpuasync_lsp.syntax.ods.agreement import reads_same_text
from gpuasync_lsp.syntax.ods.operation import OdsOperation, op_classes, spelled_in
from gpuasync_lsp.syntax.parser import TolerantParser

FUNCTION = "func.func @f(%a: i32, %x: f32, %p: !llvm.ptr) {{\n  {}\n  return\n}}\n"
ALL, SINCE_19, SINCE_23 = {16, 19, 21, 22, 23, 24}, {19, 21, 22, 23, 24}, {23, 24}

TEXTS = {
    "%0 = arith.addi %a, %a : i32": ALL,
    "%0 = arith.addi %a, %a overflow<nsw> : i32": SINCE_19,
    "%0 = arith.addf %x, %x : f32": ALL,
    "%0 = arith.addf %x, %x fastmath<fast> : f32": ALL,
    "%0 = arith.addf %x, %x to_nearest_even : f32": SINCE_23,
    "%0 = llvm.load %p : !llvm.ptr -> i32": SINCE_19,
    "%0 = llvm.load %p invariant_group : !llvm.ptr -> i32": {21, 22, 23, 24},
}


@pytest.mark.parametrize(("text", "releases"), TEXTS.items(), ids=list(TEXTS))
def test_releases_that_read_a_text(text: str, releases: set[int]) -> None:
    parser = TolerantParser(context(), FUNCTION.format(text))
    (function,) = parser.parse_ops()
    assert parser.problems == []
    op = next(each for each in function.walk() if each.name == text.split()[2])
    read = spelled_in(op)
    assert read is not None
    assert set(read) == releases


def _agree(newer: type[OdsOperation], taken: int, older: type[OdsOperation]) -> bool:
    return reads_same_text(newer.variant, newer.elements, taken, older.variant, older.elements)


def test_a_group_that_is_left_out_needs_no_reading() -> None:
    oldest, *_, newest = op_classes("arith.addi")
    assert _agree(newest, 0b10, oldest)
    assert not _agree(newest, 0b11, oldest)  # `overflow` is there
    assert not _agree(oldest, 0b1, newest)  # The old format leaves this open.


def test_names_of_operands_do_not_count() -> None:
    kinds = {max(each.variant.releases): each for each in op_classes("vector.extract")}
    assert _agree(kinds[24], 0b1, kinds[21])
    assert not _agree(kinds[24], 0b1, kinds[16])  # The formats differ.
