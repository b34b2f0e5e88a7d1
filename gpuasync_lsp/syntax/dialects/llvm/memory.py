"""Ops of the llvm dialect that allocate and access memory, and compute addresses."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, IntegerType, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    i32_array,
    i64_attr,
    integers,
    parse_attributes,
    print_attributes,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMStructType
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.reading import Parts

ORDERINGS = {
    "not_atomic": 0,
    "unordered": 1,
    "monotonic": 2,
    "acquire": 4,
    "release": 5,
    "acq_rel": 6,
    "seq_cst": 7,
}
ATOMIC_BINARY_OPS = (
    "xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin", "fadd", "fsub",
    "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum",
)  # fmt: skip
GEP_FLAGS = {"inbounds_flag": 1, "nusw": 2, "inbounds": 3, "nuw": 4}
GEP_DYNAMIC_INDEX = -(2**31)
"""The value that marks a dynamic index in `rawConstantIndices`."""


@irdl_op_definition
class AllocaOp(IRDLOperation):
    name = "llvm.alloca"

    array_size = operand_def()
    elem_type = opt_prop_def()
    alignment = opt_prop_def(IntegerAttr)
    inalloca = opt_prop_def(UnitAttr)
    res = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> AllocaOp:
        inalloca = parser.parse_optional_keyword("inalloca") is not None
        size = parser.parse_unresolved_operand()
        parser.parse_keyword("x")
        elem_type = parser.parse_type()
        properties, attributes = parse_attributes(parser, cls)
        if inalloca:
            properties["inalloca"] = UNIT
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        if len(type.inputs.data) != 1 or len(type.outputs.data) != 1:
            parser.raise_error("expected trailing function type with one argument and one result")
        return cls.create(
            operands=[parser.resolve_operand(size, type.inputs.data[0])],
            result_types=type.outputs.data,
            properties={"elem_type": elem_type} | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.inalloca is not None:
            printer.print_string(" inalloca")
        printer.print_string(" ")
        printer.print_ssa_value(self.array_size)
        printer.print_string(" x ")
        printer.print_attribute(self.elem_type or self.res.type)
        print_attributes(printer, self, ("elem_type", "inalloca"))
        printer.print_string(" : ")
        printer.print_function_type([self.array_size.type], [self.res.type])


@irdl_op_definition
class GEPOp(IRDLOperation):
    name = "llvm.getelementptr"

    base = operand_def()
    dynamic_indices = var_operand_def()
    raw_constant_indices = prop_def(DenseArrayBase, prop_name="rawConstantIndices")
    elem_type = opt_prop_def()
    no_wrap_flags = opt_prop_def(IntegerAttr, IntegerAttr(0, i32), prop_name="noWrapFlags")
    inbounds = opt_prop_def(UnitAttr)
    """`inbounds` in the generic form of LLVM 19 and older; later releases store it in `no_wrap_flags`."""
    res = result_def()

    traits = traits_def(Pure())

    @property
    def has_all_indices(self) -> bool:
        """Whether the op has one operand per dynamic index, which the verifier requires."""
        constants = integers(self.raw_constant_indices)
        return constants.count(GEP_DYNAMIC_INDEX) == len(self.dynamic_indices)

    @property
    def indices(self) -> list[SSAValue | int]:
        """The constant and dynamic indices in the order of the text."""
        dynamic = iter(self.dynamic_indices)
        constants = integers(self.raw_constant_indices)
        return [next(dynamic) if index == GEP_DYNAMIC_INDEX else index for index in constants]

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        bits = 0
        if (flag := parser.parse_optional_keyword_in(GEP_FLAGS)) is not None:
            bits = GEP_FLAGS[flag]
            while parser.parse_optional_punctuation("|") is not None:
                bits |= GEP_FLAGS[parser.parse_keyword_in(GEP_FLAGS)]
        base = parser.parse_unresolved_operand()
        entries = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE,
            lambda: parser.parse_optional_unresolved_operand() or parser.parse_integer(),
        )
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        if len(type.outputs.data) != 1:
            parser.raise_error("expected one result type")
        constants = [entry if isinstance(entry, int) else GEP_DYNAMIC_INDEX for entry in entries]
        properties: Attributes = {"rawConstantIndices": i32_array(constants)}
        if parser.parse_optional_punctuation(",") is not None:
            properties["elem_type"] = parser.parse_type()
        if bits:
            properties["noWrapFlags"] = IntegerAttr(bits, i32)
        names = [base, *(entry for entry in entries if not isinstance(entry, int))]
        return cls.create(
            operands=parser.resolve_operands(names, type.inputs.data, parser.pos),
            result_types=type.outputs.data,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        flags = self._flags()
        printer.print_string(f" {flags} " if flags else " ")
        printer.print_ssa_value(self.base)
        with printer.in_square_brackets():
            printer.print_list(
                self.indices,
                lambda index: (
                    printer.print_int(index) if isinstance(index, int) else printer.print_ssa_value(index)
                ),
            )
        print_attributes(printer, self, ("rawConstantIndices", "elem_type", "noWrapFlags", "inbounds"))
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        if self.elem_type is not None:
            printer.print_string(", ")
            printer.print_attribute(self.elem_type)

    def _flags(self) -> str:
        if self.inbounds is not None:
            return "inbounds"
        bits = self.no_wrap_flags.value.data
        names: list[str] = []
        for name in ("inbounds", "inbounds_flag", "nusw", "nuw"):
            if bits & GEP_FLAGS[name] == GEP_FLAGS[name]:
                names.append(name)
                bits &= ~GEP_FLAGS[name]
        return "|".join(names)


class _AccessOp(TableOp, ABC):
    """A load or store; it is atomic if its ordering is not 0."""

    ordering = opt_prop_def(IntegerAttr[I64], i64_attr(0))


class _CmpXchgOp(TableOp, ABC):
    """A compare-exchange; its result is the old value and a success flag."""

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["cmp"] = parts.types["val"]
        parts.types["res"] = [LLVMStructType.literal([*parts.types["val"], IntegerType(1)])]


LoadOp = from_table("llvm.load", _AccessOp)
StoreOp = from_table("llvm.store", _AccessOp)
AtomicRMWOp = from_table("llvm.atomicrmw", TableOp)
AtomicCmpXchgOp = from_table("llvm.cmpxchg", _CmpXchgOp)
FenceOp = from_table("llvm.fence", TableOp)
