"""MLIR's `arith` dialect: xDSL's class names, MLIR's field names, and the flags and ops that xDSL lacks."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from gpuasync_lsp.syntax.dialects.assembly import i1_like, i64_attr, print_attributes
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathKeywords, OverflowKeywords
from gpuasync_lsp.syntax.kinds import is_dense_elements, is_number
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.table import entry

_PREDICATES = {
    name: found.variants[-1].attributes["predicate"].cases
    for name in ("arith.cmpf", "arith.cmpi")
    if (found := entry(name))
}
CMPI_PREDICATES = _PREDICATES["arith.cmpi"]
ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")


@irdl_attr_definition
class FastMathFlagsAttr(FastmathKeywords):
    name = "arith.fastmath"

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.replace(', ', ',')}>")


@irdl_attr_definition
class IntegerOverflowFlagsAttr(OverflowKeywords):
    name = "arith.overflow"


NO_FASTMATH = FastMathFlagsAttr("none")
NO_OVERFLOW = IntegerOverflowFlagsAttr("none")


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """`arith.constant 1 : i32`; the result has the type of the value."""

    name = "arith.constant"

    value = prop_def()
    result = result_def()

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: Attribute, value_type: Attribute | None = None):
        super().__init__(result_types=[value_type or _type_of_constant(value)], properties={"value": value})

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        value = parser.parse_optional_attribute()
        if value is None:
            parser.raise_error("expected attribute value")
        type = optional_type_of_constant(value)
        if type is None:
            # A value whose attribute class we do not know ends in its type: `#x.y<1> : tensor<4xi8>`.
            if parser.parse_optional_punctuation(":") is None:
                parser.raise_error("invalid kind of attribute specified: expected typed attribute", start)
            type = parser.parse_type()
        return cls.create(result_types=[type], properties={"value": value}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_attributes(printer, self, ("value",))
        printer.print_string(" ")
        printer.print_attribute(self.value)


class _BinaryOp(TableOp, ABC):
    """An op with two operands of the result type: `arith.divsi %a, %b : i32`."""

    def __init__(self, operand1: SSAValue | Operation, operand2: SSAValue | Operation):
        super().__init__(operands=[operand1, operand2], result_types=[SSAValue.get(operand1).type])


class _OverflowOp(_BinaryOp, ABC):
    """An integer op with overflow flags: `overflow<nsw, nuw>`."""

    overflow_flags = opt_prop_def(IntegerOverflowFlagsAttr, NO_OVERFLOW, prop_name="overflowFlags")

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.properties.setdefault("overflowFlags", NO_OVERFLOW)


class _FloatOp(TableOp, ABC):
    """An op with fastmath flags: `fastmath<fast>`."""

    fastmath = opt_prop_def(FastMathFlagsAttr, NO_FASTMATH)


class _FloatBinaryOp(_BinaryOp, _FloatOp, ABC):
    """A binary float op: `arith.addf %a, %b fastmath<fast> : f32`."""


AddiOp = from_table("arith.addi", _OverflowOp)
SubiOp = from_table("arith.subi", _OverflowOp)
MuliOp = from_table("arith.muli", _OverflowOp)
ShLIOp = from_table("arith.shli", _OverflowOp)
DivSIOp = from_table("arith.divsi", _BinaryOp)
DivUIOp = from_table("arith.divui", _BinaryOp)
ShRSIOp = from_table("arith.shrsi", _BinaryOp)
ShRUIOp = from_table("arith.shrui", _BinaryOp)
CeilDivSIOp = from_table("arith.ceildivsi", _BinaryOp)
CeilDivUIOp = from_table("arith.ceildivui", _BinaryOp)
FloorDivSIOp = from_table("arith.floordivsi", _BinaryOp)
RemSIOp = from_table("arith.remsi", _BinaryOp)
RemUIOp = from_table("arith.remui", _BinaryOp)
AndIOp = from_table("arith.andi", _BinaryOp)
OrIOp = from_table("arith.ori", _BinaryOp)
XOrIOp = from_table("arith.xori", _BinaryOp)
MaxSIOp = from_table("arith.maxsi", _BinaryOp)
MaxUIOp = from_table("arith.maxui", _BinaryOp)
MinSIOp = from_table("arith.minsi", _BinaryOp)
MinUIOp = from_table("arith.minui", _BinaryOp)
AddfOp = from_table("arith.addf", _FloatBinaryOp)
SubfOp = from_table("arith.subf", _FloatBinaryOp)
MulfOp = from_table("arith.mulf", _FloatBinaryOp)
DivfOp = from_table("arith.divf", _FloatBinaryOp)
RemfOp = from_table("arith.remf", _FloatBinaryOp)
MaximumfOp = from_table("arith.maximumf", _FloatBinaryOp)
MinimumfOp = from_table("arith.minimumf", _FloatBinaryOp)
MaxnumfOp = from_table("arith.maxnumf", _FloatBinaryOp)
MinnumfOp = from_table("arith.minnumf", _FloatBinaryOp)
MaxfOp = from_table("arith.maxf", _FloatBinaryOp)
"""Exists through LLVM 17; LLVM 18 replaced it with arith.maximumf."""
MinfOp = from_table("arith.minf", _FloatBinaryOp)
"""Exists through LLVM 17; LLVM 18 replaced it with arith.minimumf."""
NegfOp = from_table("arith.negf", _FloatOp)
AddUIExtendedOp = from_table("arith.addui_extended", TableOp)
SubUIExtendedOp = from_table("arith.subui_extended", TableOp)
"""Exists since LLVM 23."""
MulSIExtendedOp = from_table("arith.mulsi_extended", TableOp)
MulUIExtendedOp = from_table("arith.mului_extended", TableOp)
ExtSIOp = from_table("arith.extsi", TableOp)
ExtUIOp = from_table("arith.extui", TableOp)
IndexCastOp = from_table("arith.index_cast", TableOp)
IndexCastUIOp = from_table("arith.index_castui", TableOp)
SIToFPOp = from_table("arith.sitofp", TableOp)
UIToFPOp = from_table("arith.uitofp", TableOp)
FPToSIOp = from_table("arith.fptosi", TableOp)
FPToUIOp = from_table("arith.fptoui", TableOp)
BitcastOp = from_table("arith.bitcast", TableOp)
TruncIOp = from_table("arith.trunci", _OverflowOp)
ExtFOp = from_table("arith.extf", TableOp)
TruncFOp = from_table("arith.truncf", TableOp)


class ComparisonOp(TableOp, ABC):
    """A comparison: `arith.cmpi slt, %a, %b : i32`."""

    predicate = prop_def(IntegerAttr[I64])

    def __init__(self, operand1: SSAValue | Operation, operand2: SSAValue | Operation, predicate: str | int):
        number = _PREDICATES[self.name].index(predicate) if isinstance(predicate, str) else predicate
        super().__init__(
            operands=[operand1, operand2],
            result_types=[i1_like(SSAValue.get(operand1).type)],
            properties={"predicate": i64_attr(number)},
        )


class _FloatComparisonOp(ComparisonOp, _FloatOp, ABC):
    """A comparison with `fastmath<fast>`."""


class _SelectOp(TableOp, ABC):
    """`arith.select %c, %a, %b : f32`; a vector condition has its own type: `: vector<4xi1>,
    vector<4xf32>`."""

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])


CmpiOp = from_table("arith.cmpi", ComparisonOp)
CmpfOp = from_table("arith.cmpf", _FloatComparisonOp)
SelectOp = from_table("arith.select", _SelectOp)


def optional_type_of_constant(value: Attribute) -> Attribute | None:
    """Return the type of the value of an arith.constant; None if the value has no type."""
    if is_number(value):
        return value.type
    if is_dense_elements(value):
        return value.type
    return value.get_type() if isinstance(value, TypedAttribute) else getattr(value, "type", None)


def _type_of_constant(value: Attribute) -> Attribute:
    type = optional_type_of_constant(value)
    if type is None:
        raise ValueError(f"{value} has no type")
    return type
