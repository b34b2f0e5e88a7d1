"""MLIR's `linalg` dialect: computations on whole tensors and memrefs.

The named ops (`linalg.matmul`, `linalg.conv_2d`, ...) share one assembly; their names come from the ODS
tables. The Winograd transforms remain opaque.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.dialects.assembly import (
    Arguments,
    Attributes,
    i32_array,
    i64_array,
    integers,
    named,
    parse_integer_list,
    parse_operand_names,
    parse_results,
    parse_types,
    print_attributes,
    print_integer_list,
    print_result_list,
    print_values_with_types,
    property_names,
    raise_error,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import keyword_attr
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.table import entry, ops_of

IteratorTypeAttr = keyword_attr("linalg.iterator_type")
"""An iterator type; `linalg.generic` spells it as a quoted keyword."""
UnaryFnAttr = keyword_attr("linalg.unary_fn")
BinaryFnAttr = keyword_attr("linalg.binary_fn")
TernaryFnAttr = keyword_attr("linalg.ternary_fn")
TypeFnAttr = keyword_attr("linalg.type_fn")
ElementwiseKindAttr = keyword_attr("linalg.elementwise_kind")


class _StructuredOp(IRDLOperation, ABC):
    """An op with `ins(%a : A) outs(%b : B)` and one result per tensor in `outs`."""

    inputs = var_operand_def()
    outputs = var_operand_def()
    results_ = var_result_def()
    body = var_region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def print_operands(self, printer: Printer) -> None:
        """Print the operands in groups: ` ins(...) outs(...)`."""
        for keyword, values in (("ins", self.inputs), ("outs", self.outputs)):
            if values:
                printer.print_string(f" {keyword}(")
                print_values_with_types(printer, values)
                printer.print_string(")")

    def print_results(self, printer: Printer) -> None:
        """Print ` -> (...)`; print nothing if there are no results."""
        if self.results_:
            printer.print_string(" -> ")
            print_result_list(printer, self.result_types)


def _parse_operands(parser: Parser) -> tuple[list[SSAValue], Attributes, list[Attribute]]:
    """Parse `ins(...) outs(...)`; return the operands, their segment sizes, and the tensor types in
    `outs`."""
    groups: list[Sequence[SSAValue]] = []
    for keyword in ("ins", "outs"):
        values: Sequence[SSAValue] = ()
        if parser.parse_optional_keyword(keyword) is not None:
            with parser.in_parens():
                names = parse_operand_names(parser)
                if names:
                    parser.parse_punctuation(":")
                    values = parser.resolve_operands(names, parse_types(parser, len(names)), parser.pos)
        groups.append(values)
    sizes: Attributes = {"operandSegmentSizes": i32_array([len(values) for values in groups])}
    tensors: list[Attribute] = [value.type for value in groups[1] if value.type.name in _TENSORS]
    return [value for values in groups for value in values], sizes, tensors


_TENSORS = (TensorType.name, UnrankedTensorType.name)


@irdl_op_definition
class YieldOp(IRDLOperation):
    name = "linalg.yield"

    values = var_operand_def()

    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"


IndexOp = from_table("linalg.index", TableOp)


# Ops whose attributes define the computation


def _iterator(parser: Parser, word: Attribute) -> Attribute:
    if not isinstance(word, StringAttr):
        return word
    if word.data not in ("parallel", "reduction"):
        raise_error(parser, "linalg.generic", f"unexpected iterator_type ({word.data})")
    return IteratorTypeAttr(word.data)


@irdl_op_definition
class GenericOp(_StructuredOp):
    """`linalg.generic {indexing_maps = [...], iterator_types = ["parallel"]} ins(...) outs(...) attrs =
    {...} { ... }`."""

    name = "linalg.generic"

    indexing_maps = prop_def(ArrayAttr)
    iterator_types = prop_def(ArrayAttr)
    doc = opt_prop_def(StringAttr)
    library_call = opt_prop_def(StringAttr)

    @classmethod
    def parse(cls, parser: Parser) -> GenericOp:
        # The text may be an attribute alias instead of a dictionary.
        trait = parser.parse_attribute()
        if not isinstance(trait, DictionaryAttr):
            raise_error(parser, cls.name, "expected dictionary attribute")
        properties = dict(trait.data)
        words = properties.get("iterator_types")
        if is_array(words):
            properties["iterator_types"] = ArrayAttr([_iterator(parser, each) for each in words])
        operands, sizes, _ = _parse_operands(parser)
        attributes: Attributes = {}
        if parser.parse_optional_keyword("attrs") is not None:
            parser.parse_punctuation("=")
            attributes = parser.parse_optional_attr_dict()
        body = parser.parse_region()
        results, _ = parse_results(parser)
        known = property_names(cls)
        attributes |= {name: value for name, value in properties.items() if name not in known}
        return cls.create(
            operands=operands,
            result_types=results,
            properties={name: value for name, value in properties.items() if name in known} | sizes,
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        words = [
            StringAttr(each.data) if isinstance(each, IteratorTypeAttr) else each
            for each in self.iterator_types
        ]
        trait = {**self.properties, "iterator_types": ArrayAttr(words)}
        printer.print_op_attributes(
            {name: value for name, value in trait.items() if name != "operandSegmentSizes"}
        )
        self.print_operands(printer)
        if self.attributes:
            printer.print_string(" attrs =")
            printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_region(self.regions[0])
        self.print_results(printer)


class _PayloadOp(_StructuredOp, ABC):
    """An op with a body after the operands, `(%in: f32, %out: f32) { ... }`, or a short form before them.

    The short form is a single op: `{ arith.addf } ins(...) outs(...)`."""

    payload = opt_prop_def(StringAttr)
    """The short form of the body as text: an op with its attributes. The op then has no region."""
    payload_attributes = opt_prop_def(DictionaryAttr)
    """The attributes in `payload`, parsed."""

    @classmethod
    def parse_dimensions(cls, parser: Parser) -> Attributes:
        """Parse the dimensions between the operands and the attributes; return them as properties."""
        return {}

    def print_dimensions(self, printer: Printer) -> None:
        """Print the dimensions that `parse_dimensions` parses."""

    @classmethod
    def parse(cls, parser: Parser) -> _PayloadOp:
        properties: Attributes = {}
        if parser.parse_optional_punctuation("{") is not None:
            start = parser.pos
            parser.parse_identifier()
            properties["payload_attributes"] = DictionaryAttr(parser.parse_optional_attr_dict())
            properties["payload"] = StringAttr(parser.lexer.input.content[start : parser.pos].strip())
            parser.parse_punctuation("}")
        operands, sizes, tensors = _parse_operands(parser)
        properties |= cls.parse_dimensions(parser) | sizes
        attributes = parser.parse_optional_attr_dict()
        regions: list[Region] = []
        if "payload" not in properties:
            regions.append(parser.parse_region(_parse_arguments(parser)))
        return cls.create(
            operands=operands,
            result_types=tensors,
            properties=properties,
            attributes=attributes,
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        if self.payload is not None:
            printer.print_string(f" {{ {self.payload.data} }}")
        self.print_operands(printer)
        self.print_dimensions(printer)
        print_attributes(printer, self, property_names(type(self)))
        for region in self.regions:
            printer.print_string(" (")
            printer.print_list(region.block.args, printer.print_block_argument)
            printer.print_string(") ")
            printer.print_region(region, print_entry_block_args=False)


def _parse_arguments(parser: Parser) -> Arguments:
    def parse_argument() -> Parser.Argument:
        argument = parser.parse_argument()
        argument.location = parser.parse_optional_location()
        return argument

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)


@irdl_op_definition
class MapOp(_PayloadOp):
    name = "linalg.map"


def _parse_list(parser: Parser, name: str) -> Attributes:
    parser.parse_keyword(name)
    parser.parse_punctuation("=")
    return {name: i64_array(parse_integer_list(parser))}


def _print_list(printer: Printer, name: str, values: DenseArrayBase) -> None:
    printer.print_string(f" {name} = ")
    print_integer_list(printer, integers(values))


@irdl_op_definition
class ReduceOp(_PayloadOp):
    """`linalg.reduce { arith.addf } ins(...) outs(...) dimensions = [1]`."""

    name = "linalg.reduce"

    dimensions = prop_def(DenseArrayBase[I64])

    @classmethod
    def parse_dimensions(cls, parser: Parser) -> Attributes:
        return _parse_list(parser, "dimensions")

    def print_dimensions(self, printer: Printer) -> None:
        _print_list(printer, "dimensions", self.dimensions)


class _ShapeOp(_StructuredOp, ABC):
    """An op with a list of dimensions: `linalg.transpose ins(...) outs(...) permutation = [1, 0]`."""

    LIST: ClassVar[str]

    @classmethod
    def parse(cls, parser: Parser) -> _ShapeOp:
        operands, sizes, tensors = _parse_operands(parser)
        properties = _parse_list(parser, cls.LIST) | sizes
        return cls.create(
            operands=operands,
            result_types=tensors,
            properties=properties,
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        self.print_operands(printer)
        _print_list(printer, self.LIST, cast(DenseArrayBase, self.properties[self.LIST]))
        print_attributes(printer, self, property_names(type(self)))


@irdl_op_definition
class TransposeOp(_ShapeOp):
    name = "linalg.transpose"

    LIST: ClassVar = "permutation"

    permutation = prop_def(DenseArrayBase[I64])


@irdl_op_definition
class BroadcastOp(_ShapeOp):
    name = "linalg.broadcast"

    LIST: ClassVar = "dimensions"

    dimensions = prop_def(DenseArrayBase[I64])


# Named ops


class NamedOp(_StructuredOp, ABC):
    """A named op, whose body is implicit: `linalg.conv_2d {strides = ...} ins(...) outs(...) ->
    tensor<...>`."""

    @classmethod
    def parse(cls, parser: Parser) -> NamedOp:
        properties: Attributes = {}
        while (name := parser.parse_optional_keyword_in(_LEADING)) is not None:
            parser.parse_punctuation("=")
            properties[name] = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        operands, sizes, _ = _parse_operands(parser)
        attributes |= parser.parse_optional_attr_dict()
        results, _ = parse_results(parser)
        return cls.create(
            operands=operands, result_types=results, properties=properties | sizes, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        if "kind" in self.properties:
            printer.print_string(" kind=")
            printer.print_attribute(self.properties["kind"])
        if "indexing_maps" in self.properties:
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(self.properties["indexing_maps"])
        print_attributes(printer, self, ("operandSegmentSizes", *_LEADING))
        self.print_operands(printer)
        self.print_results(printer)


_LEADING = ("kind", "indexing_maps")
"""The attributes that are printed before the dictionary."""

_OPERANDS = ["inputs", "outputs"]
NAMES = tuple(
    name
    for name in ops_of("linalg")
    if (found := entry(name)) is not None
    and [label for label, _ in found.variants[-1].operands] == _OPERANDS
    and name != GenericOp.name
)
"""The named ops of all releases: ops with `ins` and `outs` and the default assembly."""
NAMED_OPS = tuple(named(NamedOp, name) for name in NAMES)
