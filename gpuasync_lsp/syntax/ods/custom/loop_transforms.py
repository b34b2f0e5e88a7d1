"""Loops of OpenMP that are named and transformed: `omp.canonical_loop` and `omp.tile`, since LLVM 22.

Source: the parsers and printers in OpenMPDialect.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.parser import Parser

from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts


def read_counted(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%iv : i32 in range(%count) {...}`: the count has the type of the variable."""
    region, count = names(arguments)
    variable = parser.parse_argument(expect_type=False)
    parser.parse_punctuation(":")
    type = parser.parse_type()
    parser.parse_keyword("in")
    parser.parse_keyword("range")
    with parser.in_parens():
        parts.names[count] = [parser.parse_unresolved_operand()]
    parts.types[count] = [type]
    parts.regions[region] = [parts.read_region(parser, [Parser.Argument(variable.name, type)])]


def write_counted(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    region, count = names(arguments)
    (body,), (value,) = written.regions[region], written.operands[count]
    block = body.blocks.first
    if block is not None:
        written.printer.print_block_argument(block.args[0])
    written.printer.print_string(" in range(")
    written.printer.print_ssa_value(value)
    written.printer.print_string(") ")
    written.printer.print_region(body, print_entry_block_args=False)


def read_transformed(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`(%grid, %tile) <- (%loop)`: the loops that are made, where these are named, and what of."""
    made, of = names(arguments)
    parts.names[made] = (
        parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        or []
    )
    parser.parse_punctuation("<")
    parser.parse_punctuation("-")
    parts.names[of] = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


def write_transformed(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    made, of = (written.operands[name] for name in names(arguments))
    for values, front in ((made, "("), (of, " <- (" if made else "<- (")):
        if values:
            written.printer.print_string(front)
            written.printer.print_list(values, written.printer.print_ssa_value)
            written.printer.print_string(")")
