"""Numbers of smt: integers of any size, and how often a bit-vector is repeated.

Source: the parsers and printers in SMTOps.cpp (21 and 22).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, Signedness
from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import refuse
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, typed_names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.opaque import UNKNOWN
from gpuasync_lsp.syntax.printer import attribute_text

_BIT_VECTOR = re.compile(r"!smt\.bv<([0-9]{1,9})>")


def width(type: Attribute) -> int | None:
    """Return the width of `!smt.bv<8>`, None for another type."""
    match = _BIT_VECTOR.fullmatch(attribute_text(type))
    return int(match[1]) if match is not None else None


def read_integer(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """`-3`, kept in as many bits as MLIR takes for its digits."""
    value = parser.parse_integer(allow_boolean=False)
    digits = len(str(abs(value)))
    bits = 4 * digits
    bits += abs(value) >= 1 << (bits - 1)
    type = IntegerType(bits, Signedness.UNSIGNED)
    parts.properties[names(arguments)[0]] = IntegerAttr(value % (1 << bits), type)


def write_integer(written: Written, arguments: Sequence[Element]) -> None:
    """Print it as a signed number."""
    value = cast("IntegerAttr[IntegerType]", written.op.properties[names(arguments)[0]])
    bits, number = value.type.width.data, value.value.data
    written.printer.print_string(str(number - (1 << bits) if number >> (bits - 1) else number))


def read_times(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`3 times`: how often the value that follows is repeated."""
    start = parser.pos
    count = parser.parse_integer(allow_boolean=False)
    if count <= 0:
        refuse(parser, parts.variant.name, "integer must be positive", start)
    parts.noted = str(count)
    parser.parse_keyword("times")


def write_times(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    whole, part = width(written.op.results[0].type), width(written.op.operands[0].type)
    count = whole // part if whole is not None and part else 1
    written.printer.print_string(f"{count} times")


def read_repeated(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`!smt.bv<8>`: the type of what is repeated, from which that of the result follows."""
    given, made = typed_names(arguments)
    type = parser.parse_type()
    bits = width(type)
    parts.types[given] = [type]
    repeated = f"!smt.bv<{bits * int(parts.noted)}>" if bits is not None else ""
    parts.types[made] = [Parser(parser.ctx, repeated).parse_type() if repeated else UNKNOWN]


def write_repeated(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    written.printer.print_attribute(written.op.operands[0].type)
