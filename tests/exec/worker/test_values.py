"""Argument values: which fit the memref's element type, and which would change."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from gpuasync_lsp.exec.program import Parameter
from gpuasync_lsp.exec.worker.values import BadArgument, make_argument


def made(element: str, values: Any) -> list[Any]:
    """Return the contents of a memref of four elements that is filled from a file with `values`."""
    file = io.BytesIO()
    np.save(file, values)
    kept = np.zeros(8, np.uint64)
    argument = make_argument(
        Parameter("%x", "memref", element, (4,)),
        "x.npy",
        lambda size: kept.ctypes.data,
        False,
        {"x.npy": file.getvalue()},
    )
    assert argument.array is not None
    return argument.array.tolist()


@pytest.mark.parametrize(
    ("element", "values", "held"),
    [
        ("i32", [0.0, 1.0, -3.0, 2.0], [0, 1, -3, 2]),
        ("i8", [255, -128, 127, 0], [-1, -128, 127, 0]),
        ("i64", np.array([2**64 - 1, 0, 0, 0], np.uint64), [-1, 0, 0, 0]),
        ("i1", [True, False, True, False], [1, 0, 1, 0]),
        ("f32", [0.1, np.inf, 3, 4], [np.float32(0.1), np.inf, 3, 4]),
        ("complex<f32>", [1, 2, 3, 4j], [1, 2, 3, 4j]),
    ],
)
def test_what_fits(element: str, values: Any, held: list[Any]) -> None:
    assert made(element, values) == held


@pytest.mark.parametrize(
    ("element", "values", "wrong"),
    [
        ("i32", [0.0, 1.9, 2.0, 3.0], "expected a value of type i32, not 1.9"),
        ("i32", [0, 1, 2, 2**32], "expected a value of type i32, not 4294967296"),
        ("i64", [0, 1, 2, 2.0**64], "expected a value of type i64, not 1.8446744073709552e+19"),
        ("i16", [np.nan, 0, 0, 0], "expected a value of type i16, not nan"),
        ("f32", [1e300, 0, 0, 0], "x.npy does not fit f32"),
        ("bf16", [1e300, 0, 0, 0], "x.npy does not fit bf16"),
        ("f64", [1j, 0, 0, 0], "expected a value of type f64, not 'x.npy'"),
        ("i8", list("abcd"), "expected a value of type i8, not 'x.npy'"),
    ],
)
def test_what_would_become_another_number_is_refused(element: str, values: Any, wrong: str) -> None:
    with pytest.raises(BadArgument, match=f"argument %x: {wrong.replace('+', '[+]')}"):
        made(element, values)
