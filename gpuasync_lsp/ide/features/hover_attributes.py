"""Explanations of scalars, other types and attributes, for hover."""

from __future__ import annotations

import re
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    DenseIntOrFPElementsAttr,
    Signedness,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr, AffineMap

from gpuasync_lsp.ide.features.hover_types import NAMED_SPACES, amount, byte_size, explained, numbered
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.kinds import is_integer
from gpuasync_lsp.syntax.printer import attribute_text

_FLOATS = {
    "bf16": "8 bits of exponent, like f32, and 7 of mantissa",
    "f16": "IEEE half precision",
    "tf32": "8 bits of exponent, 10 of mantissa: used by tensor cores",
    "f32": "IEEE single precision",
    "f64": "IEEE double precision",
    "f80": "x87 extended precision",
    "f128": "IEEE quadruple precision",
}
_SMALL_FLOAT = re.compile(r"f\d+E(\d+)M(\d+)(?:B\d+)?(FN)?U?(?:Z|NU)?\Z")
"""Matches types such as `f8E4M3FN`; the groups are the bits of exponent and mantissa, and `FN` (finite)."""


def meaning(attribute: Attribute) -> list[str]:
    """Return the explanation of a type or an attribute, one string per sentence; empty if there is none."""
    return explained(attribute) or _scalar(attribute) or _other(attribute)


def _scalar(type: Attribute) -> list[str]:
    if is_integer(type):
        width, sign = type.width.data, type.signedness.data
        kind = "A signless integer: ops decide how to interpret the sign"
        if sign is not Signedness.SIGNLESS:
            kind = f"{'A signed' if sign is Signedness.SIGNED else 'An unsigned'} integer"
        return [f"{kind}. {width} bit{'s' * (width != 1)}, {amount(-(-width // 8))} in memory."]
    size = byte_size(type)
    if size is None:
        return []
    name = attribute_text(type)
    small = _SMALL_FLOAT.match(name)
    if small is None:
        about = _FLOATS.get(name)
        return [f"{amount(size)}: {about}."] if about else []
    exponent, mantissa, finite = small.groups()
    only = ", no infinities" if finite else ""
    return [f"{amount(size)}: {exponent} bits of exponent, {mantissa} of mantissa{only}."]


def _other(attribute: Attribute) -> list[str]:
    match attribute:
        case AsyncTokenType():
            what = "The completion of an async op, on which other ops can depend."
            return [f"{what} It is lowered to a pointer to a stream or to an event."]
        case AddressSpaceAttr():
            return [f"Memory {NAMED_SPACES[attribute.data.value]}."]
        case AffineMapAttr():
            return [_map(attribute.data)]
        case AffineSetAttr():
            known = attribute.data
            several = len(known.constraints) != 1
            about = f"{len(known.constraints)} constraint{'s' * several}"
            return [f"A set: {about} on {_takes(known.num_dims, known.num_symbols)}."]
        case DenseIntOrFPElementsAttr():
            return explained(cast(Attribute, attribute.type))
        case LLVMPointerType():
            return [f"An address. {numbered(attribute.space)}"]
        case _ if attribute.name == "gpu.mma_matrix":
            return ["A part of a matrix, spread over the threads of a subgroup."]
        case _:
            return []


def _map(known: AffineMap) -> str:
    places = [e.position if isinstance(e, AffineDimExpr) else -1 for e in known.results]
    about = _takes(known.num_dims, known.num_symbols)
    if places == list(range(known.num_dims)):
        return f"The identity of {about}."
    if sorted(places) == list(range(known.num_dims)):
        return f"A permutation of {about}."
    count = len(known.results)
    return f"A map of {about} to {count} result{'s' * (count != 1)}."


def _takes(dimensions: int, symbols: int) -> str:
    text = f"{dimensions} dimension{'s' * (dimensions != 1)}"
    return f"{text} and {symbols} symbol{'s' * (symbols != 1)}" if symbols else text
