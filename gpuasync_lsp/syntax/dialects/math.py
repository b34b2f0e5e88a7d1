"""MLIR's `math` dialect: xDSL's, and the ops that it lacks."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.math import FloatingPointLikeUnaryMathOperation, floatingPointLike
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from gpuasync_lsp.syntax.dialects.arith import NO_FASTMATH, FastMathFlagsAttr
from gpuasync_lsp.syntax.dialects.assembly import i1_like, named, parse_attributes, print_attributes


@irdl_op_definition
class ErfcOp(FloatingPointLikeUnaryMathOperation):
    name = "math.erfc"

    traits = traits_def(Pure())


@irdl_op_definition
class SincosOp(IRDLOperation):
    name = "math.sincos"

    T: ClassVar = VarConstraint("T", floatingPointLike)

    operand = operand_def(T)
    fastmath = opt_prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)
    sin = result_def(T)
    cos = result_def(T)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($sin)"


@irdl_op_definition
class ClampFOp(IRDLOperation):
    name = "math.clampf"

    T: ClassVar = VarConstraint("T", floatingPointLike)

    value = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    fastmath = opt_prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)
    result = result_def(T)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$value `to` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    )


class _ClassificationOp(IRDLOperation, ABC):
    """`%x : f32`: an i1, or one for each element."""

    operand = operand_def()
    fastmath = opt_prop_def(FastMathFlagsAttr, default_value=NO_FASTMATH)
    result = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _ClassificationOp:
        name = parser.parse_unresolved_operand()
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            result_types=[i1_like(type)],
            properties={"fastmath": NO_FASTMATH} | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        print_attributes(printer, self, defaults={"fastmath": NO_FASTMATH})
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


IsFiniteOp = named(_ClassificationOp, "math.isfinite")
IsInfOp = named(_ClassificationOp, "math.isinf")
IsNaNOp = named(_ClassificationOp, "math.isnan")
IsNormalOp = named(_ClassificationOp, "math.isnormal")
