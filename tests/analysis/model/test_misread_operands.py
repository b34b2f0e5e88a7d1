"""Copies and fills of what is no memref: the parser says so, and the model goes on around them."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import check_source


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
