"""Inline assembly and intrinsics of the llvm dialect."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import (
    bundle_properties,
    i32_array,
    named,
    parse_attributes,
    parse_bundles,
    parse_operand_names,
    print_attributes,
    print_bundles,
)
from gpuasync_lsp.syntax.dialects.llvm.assembly import FASTMATH_DEFAULT
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    FastmathFlagsAttr,
)
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


class IntrinsicOp(IRDLOperation, ABC):
    """An intrinsic in functional form: `llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32`."""

    args = var_operand_def()
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, prop_name="fastmathFlags")
    res = var_result_def()

    @classmethod
    def parse(cls, parser: Parser) -> IntrinsicOp:
        with parser.in_parens():
            names = parse_operand_names(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(names, type.inputs.data, parser.pos),
            result_types=type.outputs.data,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.args, printer.print_ssa_value)
        print_attributes(printer, self, (), FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)


_MNEMONICS = (
    "acos", "asin", "atan", "atan2", "bitreverse", "bswap", "canonicalize", "ceil", "copysign",
    "cos", "cosh", "ctpop", "exp", "exp10", "exp2", "fabs", "floor", "fma", "fmuladd", "frexp", "fshl",
    "fshr", "ldexp", "llrint", "llround", "log", "log10", "log2", "lrint",
    "lround", "maximum", "maximumnum", "maxnum", "minimum", "minimumnum", "minnum", "nearbyint", "pow",
    "powi", "rint", "round", "roundeven", "sadd.sat", "scmp", "sin", "sincos", "sinh", "smax",
    "smin", "sqrt", "sshl.sat", "ssub.sat", "tan", "tanh", "trunc", "uadd.sat",
    "ucmp", "umax", "umin", "ushl.sat", "usub.sat", "vector.reduce.fmax", "vector.reduce.fmaximum",
    "vector.reduce.fmin", "vector.reduce.fminimum",
)  # fmt: skip


INTRINSICS = {name: named(IntrinsicOp, name) for name in map("llvm.intr.{}".format, _MNEMONICS)}
"""Intrinsics by op name. The others have generic form only (`"llvm.intr.memcpy"(...)`) or are opaque here."""
