"""Splat attributes of any element type."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.attributes import TextAttr
from gpuasync_lsp.syntax.printer import attribute_text


def splat(type: Attribute, number: float) -> Attribute:
    """Return the attribute `dense<number>` of `type`, a vector or tensor type.

    xDSL does not pack elements of more than 64 bits: for these the text is stored, as after parsing.
    """
    shaped: Any = type
    try:
        return DenseIntOrFPElementsAttr.from_list(shaped, [number])
    except NotImplementedError:
        element = shaped.element_type
        one = FloatAttr(number, element) if isinstance(number, float) else IntegerAttr(number, element)
        return TextAttr(f"dense<{attribute_text(one).partition(' : ')[0]}>", type)
