"""gpu ops that take async dependencies and move memory: wait, alloc, dealloc, memcpy, memset.

Programs consist of them, so their parse methods are written out by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import IndexType, MemRefType, UnitAttr
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarOperand,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    parse_attributes,
    parse_operand_names,
    print_attributes,
)
from gpuasync_lsp.syntax.dialects.gpu.assembly import (
    TOKENS,
    parse_async,
    parse_memref_type,
    print_async,
    segments,
)
from gpuasync_lsp.syntax.dialects.gpu.attributes import AsyncTokenType

INDEX = IndexType()
AnyMemRef = MemRefType[Attribute]


class AsyncOpInterface(IRDLOperation):
    """Every gpu op that takes `[dependencies]` and, with the keyword `async`, returns a token."""

    if TYPE_CHECKING:  # xDSL takes class annotations for fields of the op: only checkers see these
        async_dependencies: VarOperand
        async_token: OpResult[AsyncTokenType] | None


@irdl_op_definition
class WaitOp(AsyncOpInterface):
    """`gpu.wait async [%a, %b]`."""

    name = "gpu.wait"

    async_dependencies = var_operand_def(AsyncTokenType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(self, async_dependencies: Sequence[SSAValue] = (), is_async: bool = False):
        super().__init__(operands=[async_dependencies], result_types=[TOKENS if is_async else []])

    @classmethod
    def parse(cls, parser: Parser) -> WaitOp:
        dependencies, token = parse_async(parser)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=dependencies, result_types=token, attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_dependencies, self.async_token)
        print_attributes(printer, self)


@irdl_op_definition
class AllocOp(AsyncOpInterface):
    """`gpu.alloc async [%a] host_shared (%size)[%symbol] : memref<?xf32>`."""

    name = "gpu.alloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    dynamic_sizes = var_operand_def(IndexType)
    symbol_operands = var_operand_def(IndexType)
    host_shared = opt_prop_def(UnitAttr, prop_name="hostShared")
    memref = result_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    PRINTED_PROPERTIES: ClassVar = ("operandSegmentSizes", "hostShared")

    @classmethod
    def parse(cls, parser: Parser) -> AllocOp:
        dependencies, token = parse_async(parser)
        properties: Attributes = {}
        if parser.parse_optional_keyword("host_shared") is not None:
            properties["hostShared"] = UNIT
        parser.parse_punctuation("(")
        sizes = [parser.resolve_operand(name, INDEX) for name in parse_operand_names(parser)]
        parser.parse_punctuation(")")
        symbols: list[SSAValue] = []
        if parser.parse_optional_punctuation("[") is not None:
            symbols = [parser.resolve_operand(name, INDEX) for name in parse_operand_names(parser)]
            parser.parse_punctuation("]")
        inherent, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        memref = parse_memref_type(parser, cls.name)
        properties["operandSegmentSizes"] = segments(len(dependencies), len(sizes), len(symbols))
        return cls.create(
            operands=[*dependencies, *sizes, *symbols],
            result_types=[memref, *token],
            properties=inherent | properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_dependencies, self.async_token)
        if self.host_shared is not None:
            printer.print_string(" host_shared")
        printer.print_string(" (")
        printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        printer.print_string(")")
        if self.symbol_operands:
            printer.print_string("[")
            printer.print_list(self.symbol_operands, printer.print_ssa_value)
            printer.print_string("]")
        print_attributes(printer, self, self.PRINTED_PROPERTIES)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class DeallocOp(AsyncOpInterface):
    """`gpu.dealloc async [%a] %memref : memref<8xf32>`."""

    name = "gpu.dealloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    @classmethod
    def parse(cls, parser: Parser) -> DeallocOp:
        dependencies, token = parse_async(parser)
        name = parser.parse_unresolved_operand("expected SSA operand")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        memref = parser.resolve_operand(name, parse_memref_type(parser, cls.name))
        return cls.create(operands=[*dependencies, memref], result_types=token, attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_dependencies, self.async_token)
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class MemcpyOp(AsyncOpInterface):
    """`gpu.memcpy async [%a] %dst, %src : memref<8xf32>, memref<8xf32>`."""

    name = "gpu.memcpy"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(AnyMemRef)
    src = operand_def(AnyMemRef)
    async_token = opt_result_def(AsyncTokenType)

    @classmethod
    def parse(cls, parser: Parser) -> MemcpyOp:
        dependencies, token = parse_async(parser)
        dst = parser.parse_unresolved_operand("expected SSA operand")
        parser.parse_punctuation(",")
        src = parser.parse_unresolved_operand("expected SSA operand")
        parser.parse_punctuation(":")
        dst_type = parse_memref_type(parser, cls.name)
        parser.parse_punctuation(",")
        src_type = parse_memref_type(parser, cls.name)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=[
                *dependencies,
                parser.resolve_operand(dst, dst_type),
                parser.resolve_operand(src, src_type),
            ],
            result_types=token,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        _print_two_operands(printer, self, self.dst, self.src)


@irdl_op_definition
class MemsetOp(AsyncOpInterface):
    """`gpu.memset async [%a] %dst, %value : memref<8xf32>, f32`."""

    name = "gpu.memset"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(AnyMemRef)
    value = operand_def()
    async_token = opt_result_def(AsyncTokenType)

    @classmethod
    def parse(cls, parser: Parser) -> MemsetOp:
        dependencies, token = parse_async(parser)
        dst = parser.parse_unresolved_operand("expected SSA operand")
        parser.parse_punctuation(",")
        value = parser.parse_unresolved_operand("expected SSA operand")
        parser.parse_punctuation(":")
        dst_type = parse_memref_type(parser, cls.name)
        parser.parse_punctuation(",")
        value_type = parser.parse_type()
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=[
                *dependencies,
                parser.resolve_operand(dst, dst_type),
                parser.resolve_operand(value, value_type),
            ],
            result_types=token,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        _print_two_operands(printer, self, self.dst, self.value)


def _print_two_operands(printer: Printer, op: AsyncOpInterface, first: SSAValue, second: SSAValue) -> None:
    """Print ` async [%a] %first, %second : type, type`."""
    print_async(printer, op.async_dependencies, op.async_token)
    printer.print_string(" ")
    printer.print_ssa_value(first)
    printer.print_string(", ")
    printer.print_ssa_value(second)
    printer.print_string(" : ")
    printer.print_attribute(first.type)
    printer.print_string(", ")
    printer.print_attribute(second.type)
    print_attributes(printer, op)
