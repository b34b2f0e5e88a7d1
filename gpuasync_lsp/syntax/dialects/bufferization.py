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
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    i32_array,
    parse_attributes,
    parse_operand_names,
    parse_types,
    print_attributes,
    print_values_with_types,
)


@irdl_op_definition
class ToTensorOp(IRDLOperation):
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

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.buffer)
        printer.print_string(" restrict" if self.restrict else "")
        printer.print_string(" writable" if self.writable else "")
        print_attributes(printer, self, ("restrict", "writable"))
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


def _tensor(memref: Attribute) -> Attribute:
    """Return the tensor type with the elements and sizes of `memref`."""
    if isinstance(memref, MemRefType):
        ranked = cast(MemRefType[Attribute], memref)
        return TensorType(ranked.element_type, ranked.get_shape())
    if isinstance(memref, UnrankedMemRefType):
        return UnrankedTensorType(cast(UnrankedMemRefType[Attribute], memref).element_type)
    raise ValueError(f"{memref} is no memref")


@irdl_op_definition
class ToBufferOp(IRDLOperation):
    """Since LLVM 21; `bufferization.to_memref` before."""

    name = "bufferization.to_buffer"

    tensor = operand_def()
    read_only = opt_prop_def(UnitAttr)
    buffer = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$tensor (`read_only` $read_only^)? attr-dict `:` type($tensor) `to` type($buffer)"


@irdl_op_definition
class ToMemrefOp(IRDLOperation):
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

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(" read_only" if self.read_only else "")
        print_attributes(printer, self, ("read_only",))
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)
        printer.print_string(" to ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class DeallocTensorOp(IRDLOperation):
    name = "bufferization.dealloc_tensor"

    tensor = operand_def()

    assembly_format = "$tensor attr-dict `:` type($tensor)"


@irdl_op_definition
class DeallocOp(IRDLOperation):
    """`(%m : memref<4xf32>) if (%c) retain (%r : memref<4xf32>)`: an i1 for each one that is retained."""

    name = "bufferization.dealloc"

    memrefs = var_operand_def()
    conditions = var_operand_def(IntegerType)
    retained = var_operand_def()
    updated_conditions = var_result_def(IntegerType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> DeallocOp:
        memrefs: list[SSAValue] = []
        conditions: list[SSAValue] = []
        retained: list[SSAValue] = []
        if parser.parse_optional_punctuation("(") is not None:
            memrefs = _parse_typed(parser)
            parser.parse_keyword("if")
            conditions = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.resolve_operand(parser.parse_unresolved_operand(), i1)
            )
        if parser.parse_optional_keyword("retain") is not None:
            parser.parse_punctuation("(")
            retained = _parse_typed(parser)
        return cls.create(
            operands=[*memrefs, *conditions, *retained],
            result_types=[i1] * len(retained),
            properties={"operandSegmentSizes": i32_array([len(memrefs), len(conditions), len(retained)])},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        if self.memrefs:
            printer.print_string(" ")
            with printer.in_parens():
                print_values_with_types(printer, self.memrefs)
            printer.print_string(" if ")
            with printer.in_parens():
                printer.print_list(self.conditions, printer.print_ssa_value)
        if self.retained:
            printer.print_string(" retain ")
            with printer.in_parens():
                print_values_with_types(printer, self.retained)
        print_attributes(printer, self, ("operandSegmentSizes",))


def _parse_typed(parser: Parser) -> list[SSAValue]:
    """Parse `%a, %b : i32, f32)`."""
    names = parse_operand_names(parser)
    parser.parse_punctuation(":")
    types = parse_types(parser, len(names))
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, parser.pos))
