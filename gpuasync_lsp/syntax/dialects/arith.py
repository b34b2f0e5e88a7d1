"""MLIR's `arith` dialect. Classes and fields as in xDSL's, plus the flags and ops that it lacks."""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    fail,
    i1_like,
    i64_attr,
    named,
    parse_attributes,
    parse_operand_names,
    print_attributes,
    typed,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathKeywords, KeywordAttr, OverflowKeywords
from gpuasync_lsp.syntax.ods.by_table import PureByTable

CMPI_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CMPF_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "true",
)  # fmt: skip
ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")


@irdl_attr_definition
class FastMathFlagsAttr(FastmathKeywords):
    name = "arith.fastmath"


@irdl_attr_definition
class IntegerOverflowFlagsAttr(OverflowKeywords):
    name = "arith.overflow"


NO_FASTMATH = FastMathFlagsAttr("none")
NO_OVERFLOW = IntegerOverflowFlagsAttr("none")


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """`arith.constant 1 : i32`; the value's type is the result's."""

    name = "arith.constant"

    value = prop_def()
    result = result_def()

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: Attribute, value_type: Attribute | None = None):
        super().__init__(result_types=[value_type or _type_of_constant(value)], properties={"value": value})

    @staticmethod
    def from_int_and_width(value: int, value_type: int | IntegerType | IndexType) -> ConstantOp:
        """Return the constant `value` of a type, or of the integer type of that width."""
        type = IntegerType(value_type) if isinstance(value_type, int) else value_type
        return ConstantOp(IntegerAttr(value, type))

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        start = parser.pos
        value = parser.parse_optional_attribute()
        if value is None:
            parser.raise_error("expected attribute value")
        type = _optional_type_of_constant(value)
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

    def verify_(self) -> None:
        type = _optional_type_of_constant(self.value)
        if isinstance(self.value, StringAttr) or (type is not None and type != self.result.type):
            fail(self, "failed to verify that all of {value, result} have same type")
        result = self.result.type
        if str(result)[:2] in ("si", "ui"):
            fail(self, "integer return type must be signless")


class _FlaggedOp(IRDLOperation, ABC):
    """What the arith ops have in common: flags between the operands and the attribute dictionary."""

    traits = traits_def(Pure())

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        """Parse the flags of the class: an overflow or fastmath list, a rounding mode, `nneg`."""
        return {}

    def print_flags(self, printer: Printer) -> None:
        """Print what `parse_flags` reads."""


class _BinaryOp(_FlaggedOp, ABC):
    """`%a, %b FLAGS {attributes} : type`."""

    lhs = operand_def()
    rhs = operand_def()
    result = result_def()

    def __init__(
        self,
        operand1: SSAValue | Operation,
        operand2: SSAValue | Operation,
        result_type: Attribute | None = None,
    ):
        super().__init__(
            operands=[operand1, operand2],
            result_types=[result_type or SSAValue.get(operand1).type],
        )

    @classmethod
    def parse(cls, parser: Parser) -> _BinaryOp:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        flags = cls.parse_flags(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[type],
            properties=flags | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        self.print_flags(printer)
        print_attributes(printer, self, _FLAGS)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


class _OverflowOp(_BinaryOp, ABC):
    overflow_flags = opt_prop_def(IntegerOverflowFlagsAttr, NO_OVERFLOW, prop_name="overflowFlags")

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return _parse_overflow(parser)

    def print_flags(self, printer: Printer) -> None:
        _print_flag_list(printer, "overflow", self.overflow_flags)


class _FloatBinaryOp(_BinaryOp, ABC):
    fastmath = opt_prop_def(FastMathFlagsAttr, NO_FASTMATH)

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return _parse_fastmath(parser)

    def print_flags(self, printer: Printer) -> None:
        _print_flag_list(printer, "fastmath", self.fastmath)


AddiOp = named(_OverflowOp, "arith.addi")
SubiOp = named(_OverflowOp, "arith.subi")
MuliOp = named(_OverflowOp, "arith.muli")
ShLIOp = named(_OverflowOp, "arith.shli")


class _ExactOp(_BinaryOp, ABC):
    """Division and right shift; LLVM 23 gave them `exact`."""

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return {"isExact": UNIT} if parser.parse_optional_keyword("exact") is not None else {}

    def print_flags(self, printer: Printer) -> None:
        if self.is_exact is not None:
            printer.print_string(" exact")


DivSIOp = named(_ExactOp, "arith.divsi")
DivUIOp = named(_ExactOp, "arith.divui")
ShRSIOp = named(_ExactOp, "arith.shrsi")
ShRUIOp = named(_ExactOp, "arith.shrui")
CeilDivSIOp = named(_BinaryOp, "arith.ceildivsi")
CeilDivUIOp = named(_BinaryOp, "arith.ceildivui")
FloorDivSIOp = named(_BinaryOp, "arith.floordivsi")
RemSIOp = named(_BinaryOp, "arith.remsi")
RemUIOp = named(_BinaryOp, "arith.remui")
AndIOp = named(_BinaryOp, "arith.andi")
OrIOp = named(_BinaryOp, "arith.ori")
XOrIOp = named(_BinaryOp, "arith.xori")
MaxSIOp = named(_BinaryOp, "arith.maxsi")
MaxUIOp = named(_BinaryOp, "arith.maxui")
MinSIOp = named(_BinaryOp, "arith.minsi")
MinUIOp = named(_BinaryOp, "arith.minui")
AddfOp = named(_FloatBinaryOp, "arith.addf")
SubfOp = named(_FloatBinaryOp, "arith.subf")
MulfOp = named(_FloatBinaryOp, "arith.mulf")
DivfOp = named(_FloatBinaryOp, "arith.divf")
RemfOp = named(_FloatBinaryOp, "arith.remf")
MaximumfOp = named(_FloatBinaryOp, "arith.maximumf")
MinimumfOp = named(_FloatBinaryOp, "arith.minimumf")
MaxnumfOp = named(_FloatBinaryOp, "arith.maxnumf")
MinnumfOp = named(_FloatBinaryOp, "arith.minnumf")


@irdl_op_definition
class MaxfOp(_FloatBinaryOp):
    """Until LLVM 17; arith.maximumf later."""

    name = "arith.maxf"


@irdl_op_definition
class MinfOp(_FloatBinaryOp):
    """Until LLVM 17; arith.minimumf later."""

    name = "arith.minf"


@irdl_op_definition
class NegfOp(_FlaggedOp):
    name = "arith.negf"

    operand = operand_def()
    fastmath = opt_prop_def(FastMathFlagsAttr, NO_FASTMATH)
    result = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> NegfOp:
        name = parser.parse_unresolved_operand()
        flags = _parse_fastmath(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            result_types=[type],
            properties=flags | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        _print_flag_list(printer, "fastmath", self.fastmath)
        print_attributes(printer, self, _FLAGS)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class AddUIExtendedOp(PureByTable):
    name = "arith.addui_extended"

    lhs = operand_def()
    rhs = operand_def()
    sum = result_def()
    overflow = result_def()


@irdl_op_definition
class MulSIExtendedOp(PureByTable):
    name = "arith.mulsi_extended"

    lhs = operand_def()
    rhs = operand_def()
    low = result_def()
    high = result_def()


@irdl_op_definition
class MulUIExtendedOp(PureByTable):
    name = "arith.mului_extended"

    lhs = operand_def()
    rhs = operand_def()
    low = result_def()
    high = result_def()


_WIDENING = ("arith.extsi", "arith.extui", "arith.extf")
_NARROWING = ("arith.trunci", "arith.truncf")
_OF_INDICES = ("arith.index_cast", "arith.index_castui")


class _CastOp(_FlaggedOp, ABC):
    """`%a FLAGS {attributes} : type to type`."""

    input = operand_def()
    result = result_def()

    def __init__(self, input: SSAValue | Operation, target_type: Attribute):
        super().__init__(operands=[input], result_types=[target_type])

    @classmethod
    def parse(cls, parser: Parser) -> _CastOp:
        name = parser.parse_unresolved_operand()
        flags = cls.parse_flags(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(name, parser.parse_type())
        parser.parse_keyword("to")
        return cls.create(
            operands=[operand],
            result_types=[parser.parse_type()],
            properties=flags | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        self.print_flags(printer)
        print_attributes(printer, self, _FLAGS)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        source, target = _width(self.input.type), _width(self.result.type)
        kinds = _element(self.input.type), _element(self.result.type)
        compatible = True
        if self.name in _WIDENING:
            compatible = source is None or target is None or source < target
        elif self.name in _NARROWING:
            compatible = source is None or target is None or source > target
        elif self.name in _OF_INDICES:
            compatible = isinstance(kinds[0], IndexType) != isinstance(kinds[1], IndexType)
        if not compatible:
            types = f"{typed(self.input.type)} and result type {typed(self.result.type)}"
            fail(self, f"operand type {types} are cast incompatible")


class _NonNegativeCastOp(_CastOp, ABC):
    """LLVM 23 gave these casts `nneg`."""

    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return {"nonNeg": UNIT} if parser.parse_optional_keyword("nneg") is not None else {}

    def print_flags(self, printer: Printer) -> None:
        if self.non_neg is not None:
            printer.print_string(" nneg")


ExtSIOp = named(_CastOp, "arith.extsi")
ExtUIOp = named(_NonNegativeCastOp, "arith.extui")


@irdl_op_definition
class IndexCastOp(_CastOp):
    name = "arith.index_cast"


@irdl_op_definition
class IndexCastUIOp(_NonNegativeCastOp):
    name = "arith.index_castui"


SIToFPOp = named(_CastOp, "arith.sitofp")
UIToFPOp = named(_NonNegativeCastOp, "arith.uitofp")
FPToSIOp = named(_CastOp, "arith.fptosi")
FPToUIOp = named(_CastOp, "arith.fptoui")
BitcastOp = named(_CastOp, "arith.bitcast")


@irdl_op_definition
class TruncIOp(_CastOp):
    name = "arith.trunci"

    overflow_flags = opt_prop_def(IntegerOverflowFlagsAttr, NO_OVERFLOW, prop_name="overflowFlags")

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return _parse_overflow(parser)

    def print_flags(self, printer: Printer) -> None:
        _print_flag_list(printer, "overflow", self.overflow_flags)


class _RoundedCastOp(_CastOp, ABC):
    """A cast between floats: an optional rounding mode and fastmath flags."""

    roundingmode = opt_prop_def(IntegerAttr)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return _parse_rounding(parser) | _parse_fastmath(parser)

    def print_flags(self, printer: Printer) -> None:
        if self.roundingmode is not None:
            printer.print_string(f" {ROUNDING_MODES[self.roundingmode.value.data]}")
        _print_flag_list(printer, "fastmath", self.fastmath, print_none=True)


ExtFOp = named(_RoundedCastOp, "arith.extf")
TruncFOp = named(_RoundedCastOp, "arith.truncf")


class _ComparisonOp(_FlaggedOp, ABC):
    """`predicate, %a, %b FLAGS {attributes} : type`."""

    PREDICATES: ClassVar[tuple[str, ...]]

    predicate = prop_def(IntegerAttr[I64])
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()

    def __init__(self, operand1: SSAValue | Operation, operand2: SSAValue | Operation, predicate: str | int):
        number = self.PREDICATES.index(predicate) if isinstance(predicate, str) else predicate
        super().__init__(
            operands=[operand1, operand2],
            result_types=[i1_like(SSAValue.get(operand1).type)],
            properties={"predicate": i64_attr(number)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _ComparisonOp:
        start = parser.pos
        predicate = parser.parse_optional_identifier_or_str_literal()
        if predicate not in cls.PREDICATES:
            parser.raise_error(
                f"expected string or keyword containing one of the following enum values for attribute "
                f"'predicate' [{', '.join(cls.PREDICATES)}]",
                start,
            )
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        flags = cls.parse_flags(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        flags["predicate"] = i64_attr(cls.PREDICATES.index(predicate))
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[i1_like(type)],
            properties=flags | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.PREDICATES[self.predicate.value.data]}, ")
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        self.print_flags(printer)
        print_attributes(printer, self, (*_FLAGS, "predicate"))
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class CmpiOp(_ComparisonOp):
    name = "arith.cmpi"

    PREDICATES: ClassVar = CMPI_PREDICATES


@irdl_op_definition
class CmpfOp(_ComparisonOp):
    name = "arith.cmpf"

    PREDICATES: ClassVar = CMPF_PREDICATES

    fastmath = opt_prop_def(FastMathFlagsAttr, NO_FASTMATH)

    @classmethod
    def parse_flags(cls, parser: Parser) -> Attributes:
        return _parse_fastmath(parser)

    def print_flags(self, printer: Printer) -> None:
        _print_flag_list(printer, "fastmath", self.fastmath)


@irdl_op_definition
class SelectOp(_FlaggedOp):
    """`%c, %a, %b : f32`; with a condition per element also its type: `: vector<4xi1>, vector<4xf32>`."""

    name = "arith.select"

    cond = operand_def()
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        names = parse_operand_names(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition: Attribute = i1
        type = parser.parse_type()
        if parser.parse_optional_punctuation(",") is not None:
            condition, type = type, parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(names, [condition, type, type], parser.pos),
            result_types=[type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attributes(printer, self)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


_FLAGS = ("overflowFlags", "fastmath", "roundingmode", "isExact", "nonNeg")
"""Properties that the flags between operands and attributes say."""


def _parse_overflow(parser: Parser) -> Attributes:
    if parser.parse_optional_keyword("overflow") is None:
        return {"overflowFlags": NO_OVERFLOW}
    return {"overflowFlags": IntegerOverflowFlagsAttr(IntegerOverflowFlagsAttr.parse_parameter(parser))}


def _parse_fastmath(parser: Parser) -> Attributes:
    if parser.parse_optional_keyword("fastmath") is None:
        return {}
    return {"fastmath": FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))}


def _parse_rounding(parser: Parser) -> Attributes:
    mode = parser.parse_optional_keyword_in(ROUNDING_MODES)
    return {} if mode is None else {"roundingmode": IntegerAttr(ROUNDING_MODES.index(mode), 32)}


def _print_flag_list(
    printer: Printer, keyword: str, flags: KeywordAttr | None, print_none: bool = False
) -> None:
    if flags is not None and (print_none or flags.data != "none"):
        printer.print_string(
            f" {keyword}<{flags.data.replace(', ', ',') if keyword == 'fastmath' else flags.data}>"
        )


def _optional_type_of_constant(value: Attribute) -> Attribute | None:
    if isinstance(value, IntegerAttr | FloatAttr):
        return cast(IntegerAttr[Any] | FloatAttr[Any], value).type
    if isinstance(value, DenseIntOrFPElementsAttr):
        return cast(DenseIntOrFPElementsAttr[Any], value).type
    return value.get_type() if isinstance(value, TypedAttribute) else getattr(value, "type", None)


def _type_of_constant(value: Attribute) -> Attribute:
    type = _optional_type_of_constant(value)
    if type is None:
        raise ValueError(f"{value} has no type")
    return type


def _element(type: Attribute) -> Attribute:
    if isinstance(type, VectorType | TensorType | UnrankedTensorType):
        return cast(VectorType[Attribute], type).element_type
    return type


def _width(type: Attribute) -> int | None:
    element = _element(type)
    return getattr(element, "bitwidth", None)
