"""Copies and memsets with operands that are no memrefs: the parser reports them, and the model still
works."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import check_source
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)


@pytest.mark.parametrize(
    "op",
    [
        "gpu.memcpy async [%t] %t, %a : memref<4xf32>, memref<4xf32>",
        "gpu.memcpy async [%t] %a, %t : memref<4xf32>, memref<4xf32>",
        "gpu.memset async [%t] %t, %v : memref<4xf32>, f32",
        '"gpu.memcpy"(%t, %t, %t) : ('
        "!gpu.async.token, !gpu.async.token, !gpu.async.token) -> !gpu.async.token",
        '"gpu.memset"(%t) : (!gpu.async.token) -> !gpu.async.token',
    ],
)
def test_a_token_in_the_place_of_a_memref_is_one_error(op: str) -> None:
    text = (
        "func.func @f(%a: memref<4xf32>, %v: f32) {\n  %t = gpu.wait async\n  %c = "
        + op
        + "\n  gpu.wait [%c]\n  return\n}\n"
    )
    assert [finding.code[:4] for finding in check_source(text)] == ["GA00"]


_KERNEL = TEXTS["_KERNEL"]


@pytest.mark.parametrize(
    "text",
    [
        _KERNEL.format("%x = llvm.load %n : i64 -> f32"),
        _KERNEL.format('%x = "llvm.load"(%n) : (i64) -> f32'),
        _KERNEL.format('"llvm.store"(%n, %n) : (i64, i64) -> ()'),
        _KERNEL.format("llvm.cond_br %c, ^one, ^two\n    ^one:"),
        "func.func @f(%t: !gpu.async.token) {\n"
        '  %q = "scf.while"(%t) ({\n  ^bb0(%x: !gpu.async.token):\n'
        '    "scf.yield"(%x) : (!gpu.async.token) -> ()\n'
        "  }, {\n  }) : (!gpu.async.token) -> !gpu.async.token\n  gpu.wait [%q]\n  return\n}\n",
        "func.func @pick(%c: i1) -> memref<4xf32> {\n  cf.cond_br %c, ^one, ^two\n^one:\n  return\n"
        "^two:\n  %a = memref.alloc() : memref<4xf32>\n  return %a : memref<4xf32>\n}\n"
        "func.func @main(%c: i1) {\n  %b = call @pick(%c) : (i1) -> memref<4xf32>\n  return\n}\n",
        _KERNEL.format(
            '%x = "llvm.getelementptr"(%p) <{elem_type = i8, rawConstantIndices = array<i32: -2147483648>}>'
            " : (!llvm.ptr) -> !llvm.ptr"
        ),
    ],
)
def test_what_is_typed_has_an_error_and_no_other_end(text: str) -> None:
    assert {finding.code[:4] for finding in check_source(text)} == {"GA00"}
