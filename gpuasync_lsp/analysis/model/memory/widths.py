"""Sizes of elements in bytes."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import ComplexType, FixedBitwidthType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.kinds import is_vector


def width_of(kind: Attribute) -> int:
    """Return the size of an element in bytes; for a type without a fixed size, always the same guess."""
    if is_vector(kind):
        return prod(max(n, 1) for n in kind.get_shape()) * width_of(kind.element_type)
    if isinstance(kind, ComplexType):
        return 2 * width_of(cast("ComplexType", kind).element_type)
    if isinstance(kind, FixedBitwidthType):
        return max(1, (kind.bitwidth + 7) // 8)
    return 8
