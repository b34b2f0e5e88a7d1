"""Casts of the llvm dialect."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    IntegerAttr,
    UnitAttr,
    i32,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    Pure,
)

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    named,
    parse_attributes,
    print_attributes,
)
from gpuasync_lsp.syntax.dialects.llvm.assembly import (
    FASTMATH_DEFAULT,
    NO_FASTMATH,
    parse_overflow,
    print_overflow,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    FastmathFlagsAttr,
    IntegerOverflowFlagsAttr,
)


class _CastOp(IRDLOperation, ABC):
    """`FLAG %a overflow<...> {attributes} : type to type`."""

    FLAG: ClassVar[tuple[str, str] | None] = None

    arg = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _CastOp:
        properties: Attributes = {}
        if cls.FLAG is not None and parser.parse_optional_keyword(cls.FLAG[0]) is not None:
            properties[cls.FLAG[1]] = UNIT
        name = parser.parse_unresolved_operand()
        properties |= parse_overflow(parser)
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        operand_type = parser.parse_type()
        parser.parse_keyword("to")
        return cls.create(
            operands=[parser.resolve_operand(name, operand_type)],
            result_types=[parser.parse_type()],
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        elided = ["overflowFlags"]
        if self.FLAG is not None:
            elided.append(self.FLAG[1])
            if self.FLAG[1] in self.properties:
                printer.print_string(f" {self.FLAG[0]}")
        printer.print_string(" ")
        printer.print_ssa_value(self.arg)
        print_overflow(printer, self.properties.get("overflowFlags"))
        print_attributes(printer, self, elided, FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.arg.type)
        printer.print_string(" to ")
        printer.print_attribute(self.res.type)


BitcastOp = named(_CastOp, "llvm.bitcast")
AddrSpaceCastOp = named(_CastOp, "llvm.addrspacecast")
IntToPtrOp = named(_CastOp, "llvm.inttoptr")
PtrToIntOp = named(_CastOp, "llvm.ptrtoint")
SExtOp = named(_CastOp, "llvm.sext")


@irdl_op_definition
class ZExtOp(_CastOp):
    name = "llvm.zext"

    FLAG: ClassVar = ("nneg", "nonNeg")

    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")


@irdl_op_definition
class TruncOp(_CastOp):
    name = "llvm.trunc"

    overflow_flags = opt_prop_def(
        IntegerAttr | IntegerOverflowFlagsAttr, IntegerAttr(0, i32), prop_name="overflowFlags"
    )


SIToFPOp = named(_CastOp, "llvm.sitofp")


@irdl_op_definition
class UIToFPOp(_CastOp):
    name = "llvm.uitofp"

    FLAG: ClassVar = ("nneg", "nonNeg")

    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")


FPToSIOp = named(_CastOp, "llvm.fptosi")
FPToUIOp = named(_CastOp, "llvm.fptoui")


@irdl_op_definition
class FPExtOp(_CastOp):
    name = "llvm.fpext"

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


@irdl_op_definition
class FPTruncOp(_CastOp):
    name = "llvm.fptrunc"

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")
