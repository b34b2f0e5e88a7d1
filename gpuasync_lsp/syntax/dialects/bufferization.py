"""MLIR's `bufferization` dialect: xDSL's, the ops that it lacks, and the forms of LLVM 16 to 20."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    IntegerType,
    MemRefType,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    i1,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    parse_attributes,
)
from gpuasync_lsp.syntax.ods.by_table import ByTable
from gpuasync_lsp.syntax.ods.reading import Parts


@irdl_op_definition
class ToTensorOp(ByTable):
    """`%m restrict writable : memref<4xf32> to tensor<4xf32>`; until LLVM 19 without the second type."""

    name = "bufferization.to_tensor"

    buffer = operand_def()
    restrict = opt_prop_def(UnitAttr)
    writable = opt_prop_def(UnitAttr)
    result = result_def()

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
    """Return the tensor type with the elements and sizes of `memref`."""
    if isinstance(memref, MemRefType):
        ranked = cast(MemRefType[Attribute], memref)
        return TensorType(ranked.element_type, ranked.get_shape())
    if isinstance(memref, UnrankedMemRefType):
        return UnrankedTensorType(cast(UnrankedMemRefType[Attribute], memref).element_type)
    raise ValueError(f"{memref} is no memref")


@irdl_op_definition
class ToMemrefOp(ByTable):
    """`%t : memref<4xf32>`, in LLVM 20 `%t : tensor<4xf32> to memref<4xf32>`; to_buffer later."""

    name = "bufferization.to_memref"

    tensor = operand_def()
    read_only = opt_prop_def(UnitAttr)
    memref = result_def()

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


@irdl_op_definition
class DeallocOp(ByTable):
    """`(%m : memref<4xf32>) if (%c) retain (%r : memref<4xf32>)`: an i1 for each one that is retained."""

    name = "bufferization.dealloc"

    memrefs = var_operand_def()
    conditions = var_operand_def(IntegerType)
    retained = var_operand_def()
    updated_conditions = var_result_def(IntegerType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["updatedConditions"] = [i1] * len(parts.names.get("retained", ()))
