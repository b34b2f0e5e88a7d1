"""Splat attributes of any element type."""

from __future__ import annotations

from xdsl.ir import Attribute

from gpuasync_lsp.syntax.attributes import TextAttr
from gpuasync_lsp.syntax.kinds import dense, element_type, number_attr
from gpuasync_lsp.syntax.printer import attribute_text


def splat(type: Attribute, number: float) -> Attribute:
    """Return the attribute `dense<number>` of `type`, a vector or tensor type.

    xDSL cannot pack elements wider than 64 bits, so these are stored as text, as the parser does.
    """
    try:
        return dense(type, [number])
    except NotImplementedError:
        one = number_attr(number, element_type(type))
        return TextAttr(f"dense<{attribute_text(one).partition(' : ')[0]}>", type)
