"""The bit layouts of floats of at most eight bits."""

from __future__ import annotations

from typing import NamedTuple


class FloatFormat(NamedTuple):
    """The bit layout of a type. Source: APFloat.h of LLVM 22."""

    exponent: int
    mantissa: int
    bias: int
    special: str
    """The special values. `ieee`: infinities and NaNs as in IEEE 754; `fn`: one NaN, all bits set; `fnuz`:
    one NaN, with the code of -0; `finite`: none."""
    signed: bool = True


FORMATS: dict[str, FloatFormat] = {
    "f8E5M2": FloatFormat(5, 2, 15, "ieee"),
    "f8E4M3": FloatFormat(4, 3, 7, "ieee"),
    "f8E3M4": FloatFormat(3, 4, 3, "ieee"),
    "f8E4M3FN": FloatFormat(4, 3, 7, "fn"),
    "f8E5M2FNUZ": FloatFormat(5, 2, 16, "fnuz"),
    "f8E4M3FNUZ": FloatFormat(4, 3, 8, "fnuz"),
    "f8E4M3B11FNUZ": FloatFormat(4, 3, 11, "fnuz"),
    "f8E8M0FNU": FloatFormat(8, 0, 127, "fn", signed=False),
    "f6E2M3FN": FloatFormat(2, 3, 1, "finite"),
    "f6E3M2FN": FloatFormat(3, 2, 3, "finite"),
    "f4E2M1FN": FloatFormat(2, 1, 1, "finite"),
}
"""Maps the MLIR types to their layouts."""
