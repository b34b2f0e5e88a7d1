"""MLIR's `bufferization` dialect: xDSL's classes, the ops that xDSL lacks, and the syntax of LLVM 16 to
20."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, UnrankedTensorType, i1
from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import UNIT, parse_attributes
from gpuasync_lsp.syntax.kinds import is_memref, is_unranked_memref
from gpuasync_lsp.syntax.ods.by_table import TableOp, table_op_definition
from gpuasync_lsp.syntax.ods.reading import Parts


@table_op_definition
class ToTensorOp(TableOp):
    """`bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>`;
    without the second type through LLVM 19."""

    name = "bufferization.to_tensor"

    @classmethod
    def parse(cls, parser: Parser) -> ToTensorOp:
        name = parser.parse_unresolved_operand()
        words = [word for word in ("restrict", "writable") if parser.parse_optional_keyword(word)]
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        has_result = parser.parse_optional_keyword("to") is not None
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            result_types=[parser.parse_type() if has_result else _tensor(type)],
            properties=properties | dict.fromkeys(words, UNIT),
            attributes=attributes,
        )


def _tensor(memref: Attribute) -> Attribute:
    """Return the tensor type with the shape and element type of `memref`."""
    if is_memref(memref):
        return TensorType(memref.element_type, memref.get_shape())
    if is_unranked_memref(memref):
        return UnrankedTensorType(memref.element_type)
    raise ValueError(f"{memref} is not a memref")


@table_op_definition
class ToMemrefOp(TableOp):
    """`bufferization.to_memref %t : memref<4xf32>`, replaced with to_buffer in LLVM 21.

    In LLVM 20: `%t : tensor<4xf32> to memref<4xf32>`."""

    name = "bufferization.to_memref"

    @classmethod
    def parse(cls, parser: Parser) -> ToMemrefOp:
        name = parser.parse_unresolved_operand()
        is_read_only = parser.parse_optional_keyword("read_only") is not None
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        first = parser.parse_type()
        has_both = parser.parse_optional_keyword("to") is not None
        result = parser.parse_type() if has_both else first
        return cls.create(
            operands=[parser.resolve_operand(name, first if has_both else _tensor(result))],
            result_types=[result],
            properties=properties | ({"read_only": UNIT} if is_read_only else {}),
            attributes=attributes,
        )


@table_op_definition
class DeallocOp(TableOp):
    """`bufferization.dealloc (%m : memref<4xf32>) if (%c) retain (%r : memref<4xf32>)`.

    The results are an i1 for each retained memref."""

    name = "bufferization.dealloc"

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["updatedConditions"] = [i1] * len(parts.names.get("retained", ()))
