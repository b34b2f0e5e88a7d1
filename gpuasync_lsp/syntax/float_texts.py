"""Text of float attributes in MLIR's spelling, for each float type of MLIR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    ReducedPrecisionFloatType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.text.floats import float_text

if TYPE_CHECKING:
    from fractions import Fraction

_PRECISIONS: dict[type[Attribute], int] = {
    BFloat16Type: 8,
    Float16Type: 11,
    Float32Type: 24,
    Float64Type: 53,
    Float80Type: 64,
    Float128Type: 113,
}
"""Maps each float type to the number of bits of its significand, including the implicit bit."""


def float_attribute_text(value: float, type: AnyFloat) -> str | None:
    """Return the text of a finite `value` of `type`; None if MLIR prints its bits in hexadecimal."""
    if isinstance(type, ReducedPrecisionFloatType):
        precision = type.SEMANTICS.mantissa_bits + 1
    else:
        precision = _PRECISIONS[type.__class__]

    def is_text_of(text: str) -> bool:
        if isinstance(type, Float80Type | Float128Type):
            from fractions import Fraction

            return _nearest(Fraction(text), precision) == Fraction(value)
        try:
            return type.unpack(type.pack((float(text),)), 1)[0] == value
        except OverflowError:
            return False

    return float_text(value, precision, is_text_of)


def _nearest(number: Fraction, precision: int) -> Fraction:
    """Round to `precision` bits, ties to even."""
    from fractions import Fraction

    exponent = abs(number.numerator).bit_length() - number.denominator.bit_length() - precision
    scaled = number / Fraction(2) ** exponent
    while abs(scaled) >= 2**precision:
        scaled, exponent = scaled / 2, exponent + 1
    while abs(scaled) < 2 ** (precision - 1):
        scaled, exponent = scaled * 2, exponent - 1
    return round(scaled) * Fraction(2) ** exponent
