"""Arithmetic and comparisons of the llvm dialect."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
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
    UNIT,
    Attributes,
    i64_attr,
    named,
    parse_attributes,
    parse_operand_names,
    parse_types,
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
    i1_like,
)

ICMP_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FCMP_PREDICATES = (
    "_false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "_true",
)  # fmt: skip


class _BinaryOp(IRDLOperation, ABC):
    """`FLAG %a, %b overflow<...> {attributes} : type`; each op uses the parts that it has."""

    FLAG: ClassVar[tuple[str, str] | None] = None
    """The keyword before the operands and the property that it sets."""

    lhs = operand_def()
    rhs = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _BinaryOp:
        properties: Attributes = {}
        if cls.FLAG is not None and parser.parse_optional_keyword(cls.FLAG[0]) is not None:
            properties[cls.FLAG[1]] = UNIT
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        if issubclass(cls, _OverflowOp):
            properties |= parse_overflow(parser)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        elided = ["overflowFlags"]
        if self.FLAG is not None:
            keyword, name = self.FLAG
            elided.append(name)
            if name in self.properties:
                printer.print_string(f" {keyword}")
        printer.print_string(" ")
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        print_overflow(printer, self.properties.get("overflowFlags"))
        print_attributes(printer, self, elided, FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class _OverflowOp(_BinaryOp, ABC):
    """An integer op with `overflow<nsw, nuw>`."""

    overflow_flags = opt_prop_def(
        IntegerAttr | IntegerOverflowFlagsAttr, IntegerAttr(0, i32), prop_name="overflowFlags"
    )


class _ExactOp(_BinaryOp, ABC):
    FLAG: ClassVar = ("exact", "isExact")

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")


class _FloatOp(_BinaryOp, ABC):
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


AddOp = named(_OverflowOp, "llvm.add")
SubOp = named(_OverflowOp, "llvm.sub")
MulOp = named(_OverflowOp, "llvm.mul")
ShlOp = named(_OverflowOp, "llvm.shl")
UDivOp = named(_ExactOp, "llvm.udiv")
SDivOp = named(_ExactOp, "llvm.sdiv")
LShrOp = named(_ExactOp, "llvm.lshr")
AShrOp = named(_ExactOp, "llvm.ashr")
URemOp = named(_BinaryOp, "llvm.urem")
SRemOp = named(_BinaryOp, "llvm.srem")
AndOp = named(_BinaryOp, "llvm.and")


@irdl_op_definition
class OrOp(_BinaryOp):
    name = "llvm.or"

    FLAG: ClassVar = ("disjoint", "isDisjoint")

    is_disjoint = opt_prop_def(UnitAttr, prop_name="isDisjoint")


XOrOp = named(_BinaryOp, "llvm.xor")
FAddOp = named(_FloatOp, "llvm.fadd")
FSubOp = named(_FloatOp, "llvm.fsub")
FMulOp = named(_FloatOp, "llvm.fmul")
FDivOp = named(_FloatOp, "llvm.fdiv")
FRemOp = named(_FloatOp, "llvm.frem")
ExpectOp = named(_BinaryOp, "llvm.intr.expect")


class _UnaryOp(IRDLOperation, ABC):
    """`%a {attributes} : type` with a result of the same type."""

    operand = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _UnaryOp:
        name = parser.parse_unresolved_operand()
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            result_types=[type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        print_attributes(printer, self, (), FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


@irdl_op_definition
class FNegOp(_UnaryOp):
    name = "llvm.fneg"

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


FreezeOp = named(_UnaryOp, "llvm.freeze")


class _ComparisonOp(IRDLOperation, ABC):
    """`"predicate" %a, %b {attributes} : type`."""

    PREDICATES: ClassVar[tuple[str, ...]]

    predicate = prop_def(IntegerAttr[I64])
    lhs = operand_def()
    rhs = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, predicate: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[i1_like(lhs.type)],
            properties={"predicate": i64_attr(self.PREDICATES.index(predicate))},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _ComparisonOp:
        position = parser.pos
        predicate = parser.parse_str_literal()
        if predicate not in cls.PREDICATES:
            parser.raise_error(f"'{predicate}' is an incorrect value of the 'predicate' attribute", position)
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        properties["predicate"] = i64_attr(cls.PREDICATES.index(predicate))
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[i1_like(type)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.PREDICATES[self.predicate.value.data]}" ')
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        print_attributes(printer, self, ("predicate",), FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class ICmpOp(_ComparisonOp):
    name = "llvm.icmp"

    PREDICATES: ClassVar = ICMP_PREDICATES


@irdl_op_definition
class FCmpOp(_ComparisonOp):
    name = "llvm.fcmp"

    PREDICATES: ClassVar = FCMP_PREDICATES

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


@irdl_op_definition
class SelectOp(IRDLOperation):
    name = "llvm.select"

    condition = operand_def()
    true_value = operand_def()
    false_value = operand_def()
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        names = parse_operand_names(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        condition, type = parse_types(parser, 2)
        operands = parser.resolve_operands(names, [condition, type, type], parser.pos)
        return cls.create(
            operands=operands, result_types=[type], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attributes(printer, self, (), FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_list([self.condition.type, self.res.type], printer.print_attribute)
