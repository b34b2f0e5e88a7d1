"""MLIR's `tensor` dialect: xDSL's, and the ops that it lacks."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, DenseArrayBase, IndexType, UnitAttr
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from gpuasync_lsp.syntax.dialects.assembly import INDEX, parse_operand_names, print_attributes
from gpuasync_lsp.syntax.dialects.linalg import AnyPackOp, AnyUnpackOp


@irdl_op_definition
class RankOp(IRDLOperation):
    name = "tensor.rank"

    tensor = operand_def()
    result = result_def(IndexType)

    traits = traits_def(Pure())
    assembly_format = "$tensor attr-dict `:` type($tensor)"


@irdl_op_definition
class BitcastOp(IRDLOperation):
    name = "tensor.bitcast"

    source = operand_def()
    dest = result_def()

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """`%n { ^bb0(%i: index): tensor.yield %x : f32 } : tensor<?xf32>`: each element is computed."""

    name = "tensor.generate"

    dynamic_extents = var_operand_def(IndexType)
    result = result_def()
    body = region_def()

    @classmethod
    def parse(cls, parser: Parser) -> GenerateOp:
        extents = [parser.resolve_operand(name, INDEX) for name in parse_operand_names(parser)]
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            operands=extents, result_types=[parser.parse_type()], attributes=attributes, regions=[body]
        )

    def print(self, printer: Printer) -> None:
        if self.dynamic_extents:
            printer.print_string(" ")
            printer.print_list(self.dynamic_extents, printer.print_ssa_value)
        printer.print_string(" ")
        printer.print_region(self.body)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GatherOp(IRDLOperation):
    name = "tensor.gather"

    source = operand_def()
    indices = operand_def()
    gather_dims = prop_def(DenseArrayBase[I64])
    unique = opt_prop_def(UnitAttr)
    result = result_def()

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? attr-dict "
        "`:` functional-type(operands, results)"
    )


@irdl_op_definition
class ScatterOp(IRDLOperation):
    name = "tensor.scatter"

    source = operand_def()
    dest = operand_def()
    indices = operand_def()
    scatter_dims = prop_def(DenseArrayBase[I64])
    unique = opt_prop_def(UnitAttr)
    result = result_def()

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$source `into` $dest `[` $indices `]` `scatter_dims` `(` $scatter_dims `)` (`unique` $unique^)? "
        "attr-dict `:` functional-type(operands, results)"
    )


@irdl_op_definition
class PackOp(AnyPackOp):
    """Until LLVM 19; linalg.pack later."""

    name = "tensor.pack"


@irdl_op_definition
class UnPackOp(AnyUnpackOp):
    """Until LLVM 19; linalg.unpack later."""

    name = "tensor.unpack"
