"""MLIR's `complex` dialect: xDSL's classes, and an op that xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, ComplexType, FloatData
from xdsl.dialects.complex import ComplexNumberAttr
from xdsl.ir import Attribute
from xdsl.parser import AttrParser


def _parse_number(cls: type[ComplexNumberAttr], parser: AttrParser) -> Sequence[Attribute]:
    """Parse `<:f64 1.0, 2.0>`; a type after it is accepted and ignored, as in MLIR."""
    with parser.in_angle_brackets():
        parser.parse_punctuation(":")
        start = parser.pos
        element = parser.parse_type()
        if not isinstance(element, AnyFloat):
            parser.raise_error("invalid element type for complex number", start, parser.pos)
        real = FloatData(parser.parse_float())
        parser.parse_punctuation(",")
        imaginary = FloatData(parser.parse_float())
    if parser.parse_optional_punctuation(":") is not None:
        parser.parse_type()
    return [real, imaginary, ComplexType(element)]


# Replace the method in place: the class is final.
setattr(ComplexNumberAttr, "parse_parameters", classmethod(_parse_number))  # noqa: B010
