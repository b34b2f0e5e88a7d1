"""Sizes and element types of xegpu's block types, which are kept as text: `!xegpu.mem_desc<16x64xf16>`."""

from __future__ import annotations

import re
from functools import lru_cache

from xdsl.dialects.builtin import IntegerType, Signedness, UnregisteredAttr, bf16, f16, f32, f64
from xdsl.ir import Attribute

from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_NAMES = ("xegpu.tensor_desc", "xegpu.mem_desc")
_BLOCK = lazy_pattern(r"<?\s*((?:[0-9]{1,9}x){1,8})(?:([su]?)i([0-9]{1,4})|(b?f[0-9]{2}))\s*[,>]", re.ASCII)
_FLOATS: dict[str, Attribute] = {"bf16": bf16, "f16": f16, "f32": f32, "f64": f64}
_SIGNS = {"": Signedness.SIGNLESS, "s": Signedness.SIGNED, "u": Signedness.UNSIGNED}


def block_of(type: Attribute) -> tuple[tuple[int, ...], Attribute] | None:
    """Return the sizes and element type of a block type; None for any other type or if unknown."""
    if not isinstance(type, UnregisteredAttr) or type.attr_name.data not in _NAMES:
        return None
    return _parsed(type.value.data)


@lru_cache(maxsize=256)
def _parsed(body: str) -> tuple[tuple[int, ...], Attribute] | None:
    match = _BLOCK.match(body if body.endswith(">") else f"{body}>")
    if match is None:
        return None
    sizes = tuple(int(size) for size in match[1].split("x") if size)
    if match[3] is not None:
        return sizes, IntegerType(int(match[3]), _SIGNS[match[2]])
    element = _FLOATS.get(match[4])
    return None if element is None else (sizes, element)
