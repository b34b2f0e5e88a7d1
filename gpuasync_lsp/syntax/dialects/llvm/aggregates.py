"""Ops of the llvm dialect on structs, arrays and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
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
    i32_array,
    i64_array,
    integers,
    parse_attributes,
    parse_integer_list,
    parse_operand_names,
    print_attributes,
    print_integer_list,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMVectorType,
    element_at,
)
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table


@irdl_op_definition
class InsertValueOp(IRDLOperation):
    name = "llvm.insertvalue"

    container = operand_def()
    value = operand_def()
    position = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> InsertValueOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        container = parser.parse_unresolved_operand()
        position = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        container_type, value_type = _parse_container_type(parser, position)
        return cls.create(
            operands=[
                parser.resolve_operand(container, container_type),
                parser.resolve_operand(value, value_type),
            ],
            result_types=[container_type],
            properties={"position": i64_array(position)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.value, self.container], printer.print_ssa_value)
        print_integer_list(printer, integers(self.position))
        print_attributes(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)
        printer.print_string(" ")


@irdl_op_definition
class ExtractValueOp(IRDLOperation):
    name = "llvm.extractvalue"

    container = operand_def()
    position = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ExtractValueOp:
        container = parser.parse_unresolved_operand()
        position = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        container_type, type = _parse_container_type(parser, position)
        return cls.create(
            operands=[parser.resolve_operand(container, container_type)],
            result_types=[type],
            properties={"position": i64_array(position)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.container)
        print_integer_list(printer, integers(self.position))
        print_attributes(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)
        printer.print_string(" ")


ExtractElementOp = from_table("llvm.extractelement", TableOp)
InsertElementOp = from_table("llvm.insertelement", TableOp)


@irdl_op_definition
class ShuffleVectorOp(IRDLOperation):
    name = "llvm.shufflevector"

    v1 = operand_def()
    v2 = operand_def()
    mask = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleVectorOp:
        names = parse_operand_names(parser)
        mask = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type: Attribute = parser.parse_type()
        types = [type, type]
        result: Attribute = LLVMVectorType(False, len(mask), _vector_element(type))
        if isinstance(type, VectorType):
            vector = cast(VectorType[Attribute], type)
            result = VectorType(vector.element_type, [len(mask)], vector.scalable_dims)
        return cls.create(
            operands=parser.resolve_operands(names, types, parser.pos),
            result_types=[result],
            properties={"mask": i32_array(mask)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.v1, self.v2], printer.print_ssa_value)
        printer.print_string(" ")
        print_integer_list(printer, integers(self.mask))
        print_attributes(printer, self, ("mask",))
        printer.print_string(" : ")
        printer.print_attribute(self.v1.type)
        printer.print_string(" ")


def _parse_container_type(parser: Parser, position: Sequence[int]) -> tuple[Attribute, Attribute]:
    """Parse `: type`; return it and the type of its element at `position`."""
    parser.parse_punctuation(":")
    start = parser.pos
    container = parser.parse_type()
    element = element_at(container, position)
    if element is None:
        parser.raise_error("expected position to index into nested LLVM structure/array types", start)
    return container, element


def _vector_element(type: Attribute) -> Attribute:
    if isinstance(type, VectorType):
        return cast(VectorType[Attribute], type).element_type
    return type.type if isinstance(type, LLVMVectorType) else type
