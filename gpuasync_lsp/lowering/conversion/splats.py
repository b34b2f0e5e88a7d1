"""Vectors of one number as attributes, of every element type."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.attributes import TextAttr
from gpuasync_lsp.syntax.printer import attribute_text


def splat(type: Attribute, number: float) -> Attribute:
    """Return `dense<number>` of `type`, a vector or tensor.

    xDSL packs no element of over 64 bits: of these the text is kept, as where a file has them.
    """
    shaped: Any = type
    try:
        return DenseIntOrFPElementsAttr.from_list(shaped, [number])
    except NotImplementedError:
        element = shaped.element_type
        one = FloatAttr(number, element) if isinstance(number, float) else IntegerAttr(number, element)
        return TextAttr(f"dense<{attribute_text(one).partition(' : ')[0]}>", type)
