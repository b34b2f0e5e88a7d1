"""`spirv.Constant 1 : i32`, `spirv.Constant [1 : i32, 2 : i32] : !spirv.array<2 x i32>`.

Source: `ConstantOp::parse` and `ConstantOp::print` in mlir/lib/Dialect/SPIRV/IR/SPIRVOps.cpp.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.printer import Printer


def read_constant(parser: Parser, kind: type[Operation], _inherent: frozenset[str]) -> Operation:
    """Return the constant whose text begins behind the name of its op; raises a ParseError."""
    value = parser.parse_attribute()
    type = _type_of(value)
    if type is None:
        parser.parse_punctuation(":")
        type = parser.parse_type()
    return kind.create(result_types=[type], properties={"value": value})


def write_constant(printer: Printer, op: Operation) -> None:
    """Print what stands behind the name of the op."""
    value = op.properties["value"]
    printer.print_string(" ")
    printer.print_attribute(value)
    if isinstance(value, ArrayAttr):
        printer.print_string(" : ")
        printer.print_attribute(op.results[0].type)


def is_constant(op: Operation) -> bool:
    """Tell whether the op has what its assembly says."""
    value = op.properties.get("value")
    if value is None or len(op.results) != 1 or op.attributes:  # it has no place for an attribute
        return False
    return isinstance(value, ArrayAttr) or _type_of(value) == op.results[0].type


def _type_of(value: Attribute) -> Attribute | None:
    typed: Any = value
    found = None if isinstance(value, ArrayAttr) else getattr(typed, "type", None)
    return found if isinstance(found, Attribute) else None
