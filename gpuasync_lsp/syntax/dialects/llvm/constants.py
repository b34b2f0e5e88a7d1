"""Constants of the llvm dialect, and other ops that are written by their type alone."""

from __future__ import annotations

from abc import ABC

from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    Pure,
)

from gpuasync_lsp.syntax.dialects.assembly import (
    named,
    parse_attributes,
    print_attributes,
)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    name = "llvm.mlir.constant"

    value = prop_def()
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        with parser.in_parens():
            value = parser.parse_attribute()
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(result_types=[type], properties={"value": value}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_attribute(self.value)
        print_attributes(printer, self, ("value",))
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class _TypedConstantOp(IRDLOperation, ABC):
    """An op without operands that is printed as its type alone."""

    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _TypedConstantOp:
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


ZeroOp = named(_TypedConstantOp, "llvm.mlir.zero")
UndefOp = named(_TypedConstantOp, "llvm.mlir.undef")
PoisonOp = named(_TypedConstantOp, "llvm.mlir.poison")


NullOp = named(_TypedConstantOp, "llvm.mlir.null")
"""Until LLVM 17; llvm.mlir.zero replaced it."""
NoneTokenOp = named(_TypedConstantOp, "llvm.mlir.none")
StackSaveOp = named(_TypedConstantOp, "llvm.intr.stacksave")
