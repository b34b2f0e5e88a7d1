"""The bit layouts of floats of at most eight bits."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
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


def code_of(value: float, form: FloatFormat) -> int:
    """Return the code of the nearest value of a signed format of eight bits, ties to even.

    A value that is too large becomes infinity or, in formats without it, NaN."""
    bits = form.exponent + form.mantissa
    sign = 1 << bits if math.copysign(1, value) < 0 else 0
    infinite = ((1 << form.exponent) - 1) << form.mantissa
    ones = (1 << bits) - 1
    last = {"ieee": infinite - 1, "fn": ones - 1}.get(form.special, ones)
    beyond = {"ieee": infinite, "fn": ones}.get(form.special, 1 << bits)
    if math.isnan(value):
        return infinite | 1 << form.mantissa - 1 if form.special == "ieee" else beyond
    sizes = _sizes(form, last)
    if abs(value) >= sizes[-1] + (sizes[-1] - sizes[-2]) / 2:
        return beyond | sign
    above = bisect_left(sizes, abs(value), hi=last)
    code = min(max(above - 1, 0), above, key=lambda each: (abs(sizes[each] - abs(value)), each & 1))
    return code if code == 0 and form.special == "fnuz" else code | sign


@cache
def _sizes(form: FloatFormat, last: int) -> tuple[float, ...]:
    """Return the values of the codes from 0 to `last`, which ascend."""
    return tuple(_size_of(code, form) for code in range(last + 1))


def _size_of(code: int, form: FloatFormat) -> float:
    exponent, mantissa = code >> form.mantissa, code & (1 << form.mantissa) - 1
    fraction = mantissa / (1 << form.mantissa) + (exponent > 0)
    return math.ldexp(fraction, max(exponent, 1) - form.bias)
