"""The types of arith.select: the condition's type is printed only if it is not i1.

Source: `SelectOp::parse` and `SelectOp::print` in ArithOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.parser import Parser

from gpuasync_lsp.syntax.ods.custom.parts import Written, typed_names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts


def read_condition_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the types of a select: `f32`, or, with the condition's type, `vector<4xi1>, vector<4xf32>`."""
    condition, result = typed_names(arguments)
    first = parser.parse_type()
    has_both = parser.parse_optional_punctuation(",") is not None
    parts.types[condition] = [first if has_both else i1]
    parts.types[result] = [parser.parse_type() if has_both else first]


def write_condition_type(written: Written, arguments: Sequence[Element]) -> None:
    """Print the type of a select, preceded by the type of a vector condition."""
    condition, result = typed_names(arguments)
    (value,), (made,) = written.operands[condition], written.results[result]
    types = [made.type] if value.type == i1 else [value.type, made.type]
    written.printer.print_list(types, written.printer.print_attribute)
