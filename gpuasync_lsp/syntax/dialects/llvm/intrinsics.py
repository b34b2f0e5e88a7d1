"""Inline assembly and intrinsics of the llvm dialect."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    i32_array,
    i64_attr,
    named,
    parse_attributes,
    parse_operand_names,
    print_attributes,
)
from gpuasync_lsp.syntax.dialects.llvm.assembly import FASTMATH_DEFAULT, parse_bundles, print_bundles
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    FastmathFlagsAttr,
    TailCallKindAttr,
)


@irdl_op_definition
class InlineAsmOp(IRDLOperation):
    name = "llvm.inline_asm"

    DIALECTS: ClassVar = ("att", "intel")

    asm_operands = var_operand_def()
    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    has_side_effects = opt_prop_def(UnitAttr)
    is_align_stack = opt_prop_def(UnitAttr)
    tail_call_kind = opt_prop_def(TailCallKindAttr, TailCallKindAttr("none"))
    asm_dialect = opt_prop_def(IntegerAttr)
    operand_attrs = opt_prop_def(ArrayAttr)
    res = opt_result_def()

    @classmethod
    def parse(cls, parser: Parser) -> InlineAsmOp:
        properties: Attributes = {}
        for flag in ("has_side_effects", "is_align_stack"):
            if parser.parse_optional_keyword(flag) is not None:
                properties[flag] = UNIT
        if parser.parse_optional_keyword("tail_call_kind") is not None:
            parser.parse_punctuation("=")
            properties["tail_call_kind"] = TailCallKindAttr(TailCallKindAttr.parse_parameter(parser))
        if parser.parse_optional_keyword("asm_dialect") is not None:
            parser.parse_punctuation("=")
            properties["asm_dialect"] = i64_attr(cls.DIALECTS.index(parser.parse_keyword_in(cls.DIALECTS)))
        if parser.parse_optional_keyword("operand_attrs") is not None:
            parser.parse_punctuation("=")
            properties["operand_attrs"] = parser.parse_attribute()
        named, attributes = parse_attributes(parser, cls)
        properties["asm_string"] = StringAttr(parser.parse_str_literal())
        parser.parse_punctuation(",")
        properties["constraints"] = StringAttr(parser.parse_str_literal())
        names = parse_operand_names(parser)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(names, type.inputs.data, parser.pos),
            result_types=type.outputs.data,
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        for flag in ("has_side_effects", "is_align_stack"):
            if flag in self.properties:
                printer.print_string(f" {flag}")
        if self.tail_call_kind.data != "none":
            printer.print_string(f" tail_call_kind = <{self.tail_call_kind.data}>")
        if self.asm_dialect is not None:
            printer.print_string(f" asm_dialect = {self.DIALECTS[self.asm_dialect.value.data]}")
        if self.operand_attrs is not None:
            printer.print_string(" operand_attrs = ")
            printer.print_attribute(self.operand_attrs)
        print_attributes(printer, self, self.get_irdl_definition().properties)
        printer.print_string(" ")
        printer.print_attribute(self.asm_string)
        printer.print_string(", ")
        printer.print_attribute(self.constraints)
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)


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
        properties["op_bundle_sizes"] = i32_array([len(values) for _, values in bundles])
        if bundles:
            properties["op_bundle_tags"] = ArrayAttr([StringAttr(tag) for tag, _ in bundles])
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


@irdl_op_definition
class StackRestoreOp(IRDLOperation):
    name = "llvm.intr.stackrestore"

    ptr = operand_def()

    assembly_format = "$ptr attr-dict `:` type($ptr)"


class IntrinsicOp(IRDLOperation, ABC):
    """An intrinsic in functional form: `llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32`."""

    args = var_operand_def()
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, prop_name="fastmathFlags")
    res = var_result_def()

    def __init__(
        self,
        args: Sequence[SSAValue],
        result_type: Attribute | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[args],
            result_types=[[] if result_type is None else [result_type]],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> IntrinsicOp:
        with parser.in_parens():
            names = parse_operand_names(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        operands = parser.resolve_operands(names, type.inputs.data, parser.pos)
        results = type.outputs.data
        return cls(operands, results[0] if results else None, properties, attributes)

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
    "smin", "sqrt", "sshl.sat", "ssub.sat", "tan", "tanh", "threadlocal.address", "trunc", "uadd.sat",
    "ucmp", "umax", "umin", "ushl.sat", "usub.sat", "vector.reduce.add", "vector.reduce.and",
    "vector.reduce.fadd", "vector.reduce.fmax", "vector.reduce.fmaximum", "vector.reduce.fmin",
    "vector.reduce.fminimum", "vector.reduce.fmul", "vector.reduce.mul", "vector.reduce.or",
    "vector.reduce.smax", "vector.reduce.smin", "vector.reduce.umax", "vector.reduce.umin",
    "vector.reduce.xor",
)  # fmt: skip


INTRINSICS = {name: named(IntrinsicOp, name) for name in map("llvm.intr.{}".format, _MNEMONICS)}
"""Intrinsics by op name. The others have generic form only (`"llvm.intr.memcpy"(...)`) or are opaque here."""
