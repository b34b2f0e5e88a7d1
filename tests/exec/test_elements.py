"""Complete arrays in a report: in order, up to the requested number, with JSON-compatible numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest

numpy = pytest.importorskip("numpy")


@pytest.mark.parametrize(
    ("array", "element", "most", "wanted"),
    [
        (numpy.arange(6, dtype="f4").reshape(2, 3).T, "f32", 9, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        (numpy.array([0.1, numpy.nan, numpy.inf, -numpy.inf], "f4"), "f32", 4, [0.1, "nan", "inf", "-inf"]),
        (numpy.arange(9, dtype="i4"), "i32", 3, [0, 1, 2]),
        (numpy.array([2**53, 2**53 + 1], "i8"), "i64", 2, [2**53, str(2**53 + 1)]),
        (numpy.array([3, 2], "u1"), "i1", 2, [1, 0]),
        (numpy.array([0x3F80], "u2"), "bf16", 1, [1.0]),
        (numpy.zeros((0, 4), "f4"), "f32", 4, []),
        (numpy.array(7.5, "f8"), "f64", 4, [7.5]),
        (numpy.array([1 + 2j, -0.5j], "c8"), "complex<f32>", 4, ["(1+2j)", "(-0-0.5j)"]),
    ],
)
def test_elements(array: Any, element: str, most: int, wanted: list[float | str]) -> None:
    from gpuasync_lsp.exec.worker.values import elements

    found = elements(array, element, most)
    assert found == wanted
    json.dumps(found, allow_nan=False)
