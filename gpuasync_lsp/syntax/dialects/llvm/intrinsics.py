"""Inline assembly of the llvm dialect, and the intrinsics whose assembly is not in the ODS tables."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from gpuasync_lsp.syntax.dialects.assembly import (
    bundle_properties,
    i32_array,
    named,
    parse_attributes,
    parse_bundles,
    print_attributes,
    print_bundles,
)
from gpuasync_lsp.syntax.dialects.llvm.assembly import NO_FASTMATH
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table

InlineAsmOp = from_table("llvm.inline_asm", TableOp)
StackRestoreOp = from_table("llvm.intr.stackrestore", TableOp)


@irdl_op_definition
class AssumeOp(IRDLOperation):
    name = "llvm.intr.assume"

    cond = operand_def()
    op_bundle_operands = var_operand_def()
    op_bundle_sizes = opt_prop_def(DenseArrayBase, i32_array(()))
    op_bundle_tags = opt_prop_def(ArrayAttr)

    @classmethod
    def parse(cls, parser: Parser) -> AssumeOp:
        name = parser.parse_unresolved_operand()
        bundles = parse_bundles(parser)
        properties, attributes = parse_attributes(parser, cls)
        properties |= bundle_properties(bundles)
        parser.parse_punctuation(":")
        cond = parser.resolve_operand(name, parser.parse_type())
        return cls.create(
            operands=[cond, *(value for _, values in bundles for value in values)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        print_bundles(printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags)
        print_attributes(printer, self, ("op_bundle_sizes", "op_bundle_tags"))
        printer.print_string(" : ")
        printer.print_attribute(self.cond.type)


class _LaterIntrinsicOp(IRDLOperation, ABC):
    """An intrinsic that is newer than the ODS tables."""

    args = var_operand_def()
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")
    res = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())


_FUNCTIONAL = "`(` operands `)` attr-dict `:` functional-type(operands, results)"
LATER_INTRINSICS = [
    named(_LaterIntrinsicOp, f"llvm.intr.{name}", assembly_format=_FUNCTIONAL)
    for name in ("canonicalize", "maximumnum", "minimumnum")
]
