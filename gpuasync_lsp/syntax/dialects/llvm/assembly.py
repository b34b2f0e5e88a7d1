"""Helpers for the assembly of several families of llvm ops."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, SymbolRefAttr, UnitAttr
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import UNIT, Attributes, i64_attr
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr

VISIBILITIES = ("default", "hidden", "protected")
UNNAMED_ADDRS = ("", "local_unnamed_addr", "unnamed_addr")
ROUNDING_MODES = ("towardzero", "tonearest", "upward", "downward", "tonearestaway")
"""LLVM's rounding modes; the index is the mode's number."""
EXCEPTIONS = ("ignore", "maytrap", "strict")
"""LLVM's floating-point exception modes; the index is the mode's number."""
NO_FASTMATH = FastmathFlagsAttr("none")
FASTMATH_DEFAULT: Attributes = {"fastmathFlags": NO_FASTMATH}


def parse_symbol_flags(parser: Parser, allow_thread_local: bool = False) -> Attributes:
    """Parse optional flags of a global: `hidden thread_local unnamed_addr`."""
    properties: Attributes = {}
    if (visibility := parser.parse_optional_keyword_in(VISIBILITIES)) is not None:
        properties["visibility_"] = i64_attr(VISIBILITIES.index(visibility))
    if allow_thread_local and parser.parse_optional_keyword("thread_local") is not None:
        properties["thread_local_"] = UNIT
    if (unnamed := parser.parse_optional_keyword_in(UNNAMED_ADDRS)) is not None:
        properties["unnamed_addr"] = i64_attr(UNNAMED_ADDRS.index(unnamed))
    return properties


def print_symbol_flags(
    printer: Printer,
    visibility: IntegerAttr[I64] | None,
    thread_local: UnitAttr | None,
    unnamed: IntegerAttr[I64] | None,
) -> None:
    if visibility is not None and visibility.value.data:
        printer.print_string(f" {VISIBILITIES[visibility.value.data]}")
    if thread_local is not None:
        printer.print_string(" thread_local")
    if unnamed is not None and unnamed.value.data:
        printer.print_string(f" {UNNAMED_ADDRS[unnamed.value.data]}")


def parse_comdat(parser: Parser, properties: Attributes) -> None:
    if parser.parse_optional_keyword("comdat") is not None:
        with parser.in_parens():
            properties["comdat"] = parser.parse_attribute()


def print_comdat(printer: Printer, comdat: SymbolRefAttr | None) -> None:
    if comdat is not None:
        printer.print_string(" comdat(")
        printer.print_attribute(comdat)
        printer.print_string(")")
