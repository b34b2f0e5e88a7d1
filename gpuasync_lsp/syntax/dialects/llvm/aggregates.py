"""Ops of the llvm dialect on structs, arrays and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
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
    Attributes,
    i32_array,
    i64_array,
    integers,
    parse_attributes,
    parse_integer_list,
    parse_operand_names,
    print_attributes,
    print_integer_list,
    print_values_with_types,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMVectorType,
    element_at,
)


@irdl_op_definition
class InsertValueOp(IRDLOperation):
    name = "llvm.insertvalue"

    container = operand_def()
    value = operand_def()
    position = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        value: SSAValue | Operation,
        container: SSAValue | Operation,
        position: Sequence[int],
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[container, value],
            result_types=[SSAValue.get(container).type],
            properties={"position": i64_array(position)},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> InsertValueOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        container = parser.parse_unresolved_operand()
        position = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        container_type, value_type = _parse_container_type(parser, position)
        return cls(
            parser.resolve_operand(value, value_type),
            parser.resolve_operand(container, container_type),
            position,
            attributes,
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

    def __init__(
        self,
        container: SSAValue | Operation,
        position: Sequence[int],
        attributes: Attributes | None = None,
    ):
        type = element_at(SSAValue.get(container).type, position)
        if type is None:
            raise ValueError(f"no element {list(position)} in {SSAValue.get(container).type}")
        super().__init__(
            operands=[container],
            result_types=[type],
            properties={"position": i64_array(position)},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> ExtractValueOp:
        container = parser.parse_unresolved_operand()
        position = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        container_type, _ = _parse_container_type(parser, position)
        return cls(parser.resolve_operand(container, container_type), position, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.container)
        print_integer_list(printer, integers(self.position))
        print_attributes(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)
        printer.print_string(" ")


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    name = "llvm.extractelement"

    vector = operand_def()
    position = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        vector: SSAValue | Operation,
        position: SSAValue | Operation,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[vector, position],
            result_types=[_vector_element(SSAValue.get(vector).type)],
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> ExtractElementOp:
        vector = parser.parse_unresolved_operand()
        position = _parse_typed_index(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls(parser.resolve_operand(vector, parser.parse_type()), position, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.vector)
        _print_typed_index(printer, self.position)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


@irdl_op_definition
class InsertElementOp(IRDLOperation):
    name = "llvm.insertelement"

    vector = operand_def()
    value = operand_def()
    position = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        value: SSAValue | Operation,
        vector: SSAValue | Operation,
        position: SSAValue | Operation,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[vector, value, position],
            result_types=[SSAValue.get(vector).type],
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> InsertElementOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        vector = parser.parse_unresolved_operand()
        position = _parse_typed_index(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls(
            parser.resolve_operand(value, _vector_element(type)),
            parser.resolve_operand(vector, type),
            position,
            attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.value, self.vector], printer.print_ssa_value)
        _print_typed_index(printer, self.position)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


@irdl_op_definition
class ShuffleVectorOp(IRDLOperation):
    name = "llvm.shufflevector"

    v1 = operand_def()
    v2 = operand_def()
    mask = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        v1: SSAValue | Operation,
        v2: SSAValue | Operation,
        mask: Sequence[int],
        attributes: Attributes | None = None,
    ):
        type = SSAValue.get(v1).type
        result_type: Attribute = LLVMVectorType(False, len(mask), _vector_element(type))
        if isinstance(type, VectorType):
            vector = cast(VectorType[Attribute], type)
            result_type = VectorType(vector.element_type, [len(mask)], vector.scalable_dims)
        super().__init__(
            operands=[v1, v2],
            result_types=[result_type],
            properties={"mask": i32_array(mask)},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleVectorOp:
        names = parse_operand_names(parser)
        mask = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        v1, v2 = parser.resolve_operands(names, [type, type], parser.pos)
        return cls(v1, v2, mask, attributes)

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


def _parse_typed_index(parser: Parser) -> SSAValue:
    """Parse `[%i : i32]`."""
    with parser.in_square_brackets():
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        return parser.resolve_operand(name, parser.parse_type())


def _print_typed_index(printer: Printer, index: SSAValue) -> None:
    with printer.in_square_brackets():
        print_values_with_types(printer, [index])
