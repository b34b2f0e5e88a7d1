"""`llvm.landingpad cleanup (catch %a : !llvm.ptr) : !llvm.struct<(ptr, i32)>`: an array is a filter.

Source: `LandingpadOp::parse` and `LandingpadOp::print` in LLVMDialect.cpp (LLVM 16 to 22).
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import UNIT, Attributes, print_attributes, print_values_with_types


def read_landing(parser: Parser, kind: type[Operation], _inherent: frozenset[str]) -> Operation:
    """Parse an `llvm.landingpad` after its name; raises a ParseError."""
    properties: Attributes = {}
    if parser.parse_optional_keyword("cleanup") is not None:
        properties["cleanup"] = UNIT
    clauses = list[SSAValue]()
    while parser.parse_optional_punctuation("(") is not None:
        parser.parse_keyword_in(("catch", "filter"))
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        clauses.append(parser.resolve_operand(name, parser.parse_type()))
        parser.parse_punctuation(")")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return kind.create(
        operands=clauses, result_types=[parser.parse_type()], properties=properties, attributes=attributes
    )


def write_landing(printer: Printer, op: Operation) -> None:
    """Print the text after the name of the op."""
    printer.print_string(" cleanup" if "cleanup" in op.properties else "")
    for clause in op.operands:
        printer.print_string(" (filter " if clause.type.name == "llvm.array" else " (catch ")
        print_values_with_types(printer, [clause])
        printer.print_string(")")
    print_attributes(printer, op, ("cleanup",))
    printer.print_string(" : ")
    printer.print_attribute(op.results[0].type)


def is_landing(op: Operation) -> bool:
    """Return whether the op can be printed: it has everything that its assembly prints."""
    return len(op.results) == 1
