"""`verifyMemRef*` of mlir_runner_utils: compares two memrefs element by element.

Source: the output of LLVM 22's libmlir_runner_utils for examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gpuasync_lsp.exec.worker.values import Array

SHOWN = 10
"""The maximum number of differing elements that are printed."""

_TOLERANCES = {"f32": 1e-6, "f64": 1e-12}
"""Relative tolerances; elements of other types must be bitwise equal (complex numbers: equal in value)."""


def differences(actual: Array, expected: Array, element: str) -> Array:
    """Return a mask of differing elements of two arrays of equal shape.

    Infinities and NaNs of f32 and f64 always differ."""
    tolerance = _TOLERANCES.get(element)
    if tolerance is not None:
        with np.errstate(invalid="ignore"):
            close = np.abs(actual - expected) <= tolerance * np.abs(expected)
        return ~(close & np.isfinite(actual) & np.isfinite(expected))
    if element in ("f16", "bf16"):
        return actual.view(np.uint16) != expected.view(np.uint16)
    return actual != expected


def places(differing: Array, offset: int, strides: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the index and the offset (in elements) of each of the first `SHOWN` differing elements."""
    for index in np.argwhere(differing)[:SHOWN]:
        at = tuple(int(i) for i in index)
        yield at, offset + sum(i * stride for i, stride in zip(at, strides, strict=True))
