"""Helpers for the handwritten assemblies of this package: attribute dictionaries, signatures, lists.

xDSL's `assembly_format` strings are interpreted directive by directive; handwritten parsers are several times
faster for the ops that fill files of ten thousand lines. Both styles produce the same fields.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NoReturn, TypeVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.kinds import is_memref, is_tensor, is_vector
from gpuasync_lsp.syntax.printer import attribute_text

UNIT = UnitAttr()
INDEX = IndexType()
Attributes = dict[str, Attribute]
Arguments = list[Parser.Argument]


@cache
def property_names(op_class: type[IRDLOperation]) -> frozenset[str]:
    """Return the names of the inherent attributes of `op_class`."""
    return frozenset(op_class.get_irdl_definition().properties)


def parse_attributes(
    parser: Parser, op_class: type[IRDLOperation], keyword: bool = False
) -> tuple[Attributes, Attributes]:
    """Parse an optional attribute dictionary; return (properties, discardable attributes) of `op_class`.

    With `keyword`, the dictionary must follow the keyword `attributes`.
    """
    if keyword and parser.parse_optional_keyword("attributes") is None:
        return {}, {}
    entries = parser.parse_optional_attr_dict()
    if not entries:
        return {}, {}
    names = property_names(op_class)
    properties = {name: value for name, value in entries.items() if name in names}
    return properties, {name: value for name, value in entries.items() if name not in names}


def print_attributes(
    printer: Printer,
    op: Operation,
    elided: Collection[str] = (),
    defaults: Mapping[str, Attribute] | None = None,
    keyword: bool = False,
) -> None:
    """Print ` {...}` like MLIR: properties and attributes together, sorted by name.

    The assembly prints the names in `elided` elsewhere. An entry equal to its value in `defaults` is
    also omitted.
    """
    entries: dict[str, Attribute] = {}
    for each in (op.properties, op.attributes):
        for name, value in each.items():
            if name in elided:
                continue
            default = None if defaults is None else defaults.get(name)
            if default is None or (default is not value and default != value):
                entries[name] = value
    if len(entries) > 1:
        entries = dict(sorted(entries.items()))
    if entries:
        printer.print_op_attributes(entries, print_keyword=keyword)


def parse_types(parser: Parser, count: int | None = None) -> list[Attribute]:
    """Parse comma-separated types: exactly `count`, or any number."""
    types: list[Attribute] = [parser.parse_type()]
    while len(types) != count and parser.parse_optional_punctuation(",") is not None:
        types.append(parser.parse_type())
    if count is not None and len(types) < count:
        parser.raise_error("expected ','")
    return types


def parse_operand_names(parser: Parser) -> list[UnresolvedOperand]:
    """Parse an optional list of operand names: `%a, %b`."""
    first = parser.parse_optional_unresolved_operand()
    if first is None:
        return []
    names = [first]
    while parser.parse_optional_punctuation(",") is not None:
        names.append(parser.parse_unresolved_operand())
    return names


def parse_branch_target_operands(parser: Parser) -> Sequence[SSAValue]:
    """Parse the optional `(%a, %b : i32, f32)` after a block label."""
    if parser.parse_optional_punctuation("(") is None:
        return ()
    names = parse_operand_names(parser)
    operands: Sequence[SSAValue] = ()
    if names:
        parser.parse_punctuation(":")
        operands = parser.resolve_operands(names, parse_types(parser, len(names)), parser.pos)
    parser.parse_punctuation(")")
    return operands


def print_branch_target_operands(printer: Printer, operands: Sequence[SSAValue]) -> None:
    """Print `(%a, %b : i32, f32)`, or nothing."""
    if not operands:
        return
    printer.print_string("(")
    print_values_with_types(printer, operands)
    printer.print_string(")")


def print_values_with_types(printer: Printer, values: Sequence[SSAValue]) -> None:
    """Print values with their types: `%a, %b : i32, f32`."""
    printer.print_list(values, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_list([value.type for value in values], printer.print_attribute)


Bundles = Sequence[tuple[str, Sequence[SSAValue]]]


def parse_bundles(parser: Parser) -> Bundles:
    """Parse optional operand bundles: `["tag"(%a : i32), "other"()]`."""

    def parse_bundle() -> tuple[str, Sequence[SSAValue]]:
        return parser.parse_str_literal(), parse_branch_target_operands(parser)

    return parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parse_bundle) or []


def print_bundles(
    printer: Printer,
    operands: Sequence[SSAValue],
    sizes: DenseArrayBase | None,
    tags: ArrayAttr[Attribute] | None,
    before: str = " ",
) -> None:
    """Print operand bundles preceded by the text `before`; print nothing if there are none."""
    if tags is None or sizes is None:
        return
    printer.print_string(f"{before}[")
    start = 0
    for index, (tag, size) in enumerate(zip(tags.data, integers(sizes), strict=True)):
        printer.print_string(", " if index else "")
        printer.print_attribute(tag)
        with printer.in_parens():
            if size:
                print_values_with_types(printer, operands[start : start + size])
        start += size
    printer.print_string("]")


def bundle_properties(bundles: Bundles) -> Attributes:
    """Return the properties that describe operand bundles: their sizes and tags."""
    found: Attributes = {"op_bundle_sizes": i32_array([len(values) for _, values in bundles])}
    if bundles:
        found["op_bundle_tags"] = ArrayAttr([StringAttr(tag) for tag, _ in bundles])
    return found


def parse_integer_list(parser: Parser) -> list[int]:
    """Parse a list of integers: `[1, -2]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)


def print_integer_list(printer: Printer, values: Sequence[int]) -> None:
    """Print a list of integers: `[1, -2]`."""
    printer.print_string("[" + ", ".join(map(str, values)) + "]")


def integers(array: object) -> tuple[int, ...]:
    """Return the values of `array`, which is an `array<i32: ...>` or `array<i64: ...>`."""
    return tuple(cast("DenseArrayBase[IntegerType]", array).get_values())


def is_i32_array(value: Attribute) -> bool:
    """Return whether an attribute is `array<i32: ...>`."""
    return isinstance(value, DenseArrayBase) and cast("DenseArrayBase[IntegerType]", value).elt_type == i32


def i32_array(values: Sequence[int]) -> DenseArrayBase:
    """Return an `array<i32: ...>` attribute with the given numbers."""
    return DenseArrayBase.from_list(i32, values)


def i64_array(values: Sequence[int]) -> DenseArrayBase:
    """Return an `array<i64: ...>` attribute with the given numbers."""
    return DenseArrayBase.from_list(i64, values)


@lru_cache(maxsize=1_024)
def i64_attr(value: int) -> IntegerAttr:
    """Return the integer attribute `value : i64`."""
    return IntegerAttr(value, i64)


@dataclass
class Signature:
    """The parts of a function's signature, between its name and its attributes."""

    arguments: Arguments | None
    """None if there are only types (a declaration)."""
    inputs: list[Attribute]
    results: list[Attribute]
    attributes: Attributes
    """The attributes of arguments and results, as properties of the function."""
    variadic: bool


def parse_signature(parser: Parser, allow_variadic: bool = False) -> Signature:
    """Parse `(%a: i32 {x}, ...) -> (f32 {y}, i1)`; the arguments may be bare types.

    Raises a ParseError for a mixture of named and unnamed arguments.
    """
    arguments: Arguments = []
    inputs: list[Attribute] = []
    attributes: list[Attributes] = []
    variadic = False
    parser.parse_punctuation("(")
    if parser.parse_optional_punctuation(")") is None:
        while True:
            if allow_variadic and parser.parse_optional_punctuation("...") is not None:
                variadic = True
                break
            argument = parser.parse_optional_argument()
            if argument is not None:
                if len(arguments) != len(inputs):
                    parser.raise_error("expected type instead of SSA identifier")
                arguments.append(argument)
                inputs.append(argument.type)
            else:
                if arguments:
                    parser.raise_error("expected SSA identifier")
                inputs.append(parser.parse_type())
            attributes.append(parser.parse_optional_attr_dict())
            location = parser.parse_optional_location()
            if argument is not None:
                argument.location = location
            if parser.parse_optional_punctuation(",") is None:
                break
        parser.parse_punctuation(")")
    results, of_results = parse_results(parser)
    both = {"arg_attrs": _dictionaries(attributes), "res_attrs": of_results}
    given: Attributes = {name: value for name, value in both.items() if value is not None}
    return Signature(arguments if arguments or not inputs else None, inputs, results, given, variadic)


def parse_results(parser: Parser) -> tuple[list[Attribute], ArrayAttr[DictionaryAttr] | None]:
    """Parse an optional `-> type` or `-> (type {attributes}, ...)`."""
    if parser.parse_optional_punctuation("->") is None:
        return [], None
    return parse_result_list(parser)


def parse_result_list(parser: Parser) -> tuple[list[Attribute], ArrayAttr[DictionaryAttr] | None]:
    """Parse the results of a function type: `type` or `(type {attributes}, ...)`."""
    pairs = parser.parse_optional_comma_separated_list(
        parser.Delimiter.PAREN, lambda: (parser.parse_type(), parser.parse_optional_attr_dict())
    )
    if pairs is None:
        return [parser.parse_type()], None
    return [type for type, _ in pairs], _dictionaries([attributes for _, attributes in pairs])


def print_signature(
    printer: Printer,
    inputs: Sequence[Attribute],
    results: Sequence[Attribute],
    block_arguments: Sequence[BlockArgument] | None = None,
    argument_attributes: ArrayAttr[DictionaryAttr] | None = None,
    result_attributes: ArrayAttr[DictionaryAttr] | None = None,
    variadic: bool = False,
) -> None:
    """Print `(%a: i32 {x}, ...) -> (f32 {y}, i1)`; without `block_arguments` only their types."""
    printer.print_string("(")
    for index, type in enumerate(inputs):
        if index:
            printer.print_string(", ")
        if block_arguments is not None:
            printer.print_ssa_value(block_arguments[index])
            printer.print_string(": ")
        printer.print_attribute(type)
        if argument_attributes is not None and index < len(argument_attributes.data):
            printer.print_op_attributes(argument_attributes.data[index].data)
        if printer.print_debuginfo and block_arguments is not None:
            printer.print_string(" ")
            printer.print_attribute(block_arguments[index].location)
    if variadic:
        printer.print_string(", ..." if inputs else "...")
    printer.print_string(")")
    if results:
        printer.print_string(" -> ")
        print_result_list(printer, results, result_attributes)


def print_result_list(
    printer: Printer, results: Sequence[Attribute], attributes: ArrayAttr[DictionaryAttr] | None = None
) -> None:
    """Print the results of a function type: `type` or `(type {attributes}, ...)`."""
    bare = len(results) == 1 and attributes is None and not isinstance(results[0], FunctionType)
    if not bare:
        printer.print_string("(")
    for index, type in enumerate(results):
        if index:
            printer.print_string(", ")
        printer.print_attribute(type)
        if attributes is not None and index < len(attributes.data):
            printer.print_op_attributes(attributes.data[index].data)
    if not bare:
        printer.print_string(")")


def _dictionaries(attributes: Sequence[Attributes]) -> ArrayAttr[DictionaryAttr] | None:
    if not any(attributes):
        return None
    return ArrayAttr([DictionaryAttr(each) for each in attributes])


class UnprefixedVerifyException(VerifyException):
    """A verifier error that MLIR prints without the prefix `'op' op `."""


def fail(op: Operation, message: str) -> NoReturn:
    """Raise a VerifyException with MLIR's prefix: `'scf.if' op <message>`."""
    raise VerifyException(f"'{op.name}' op {message}")


def raise_error(parser: Parser, op_name: str, message: str, position: int | None = None) -> NoReturn:
    """Raise a ParseError with the prefix of MLIR's custom assemblies: `custom op 'scf.for' <message>`."""
    parser.raise_error(f"custom op '{op_name}' {message}", position)


def check_dialect_attributes(op: Operation, place: str, attributes: ArrayAttr[DictionaryAttr] | None) -> None:
    """Raise a VerifyException if an argument or result (`place`) has an attribute without a dialect
    prefix."""
    if attributes is not None and any("." not in name for each in attributes.data for name in each.data):
        fail(op, f"{place} may only have dialect attributes")


def typed(type: Attribute) -> str:
    """Return `type` in quotes as MLIR's messages show it: `'memref<4xf32>'`."""
    return f"'{attribute_text(type)}'"


MixedList = list[UnresolvedOperand | int]
"""Unresolved operands for dynamic values and integers for static ones, in text order."""


def parse_mixed_list(parser: Parser, delimiter: Parser.Delimiter = Parser.Delimiter.SQUARE) -> MixedList:
    """Parse a list of dynamic and static values: `[%a, 4]`."""
    return parser.parse_comma_separated_list(
        delimiter,
        lambda: parser.parse_optional_unresolved_operand() or parser.parse_integer(),
    )


def resolve_mixed_list(parser: Parser, entries: MixedList) -> tuple[list[SSAValue], DenseArrayBase]:
    """Return the dynamic values of `entries`, and an array of all entries with markers for the dynamic
    ones."""
    dynamic: list[SSAValue] = [
        parser.resolve_operand(entry, INDEX) for entry in entries if not isinstance(entry, int)
    ]
    return dynamic, static_of(entries)


def static_of(entries: MixedList) -> DenseArrayBase:
    """Return the numbers of a mixed list as MLIR stores them, with a marker for each dynamic value."""
    return i64_array([entry if isinstance(entry, int) else DYNAMIC_INDEX for entry in entries])


def print_mixed_list(
    printer: Printer,
    values: Sequence[SSAValue],
    static: DenseArrayBase,
    brackets: tuple[str, str] = ("[", "]"),
) -> None:
    """Print a list of dynamic and static values: `[%a, 4]`."""
    dynamic = iter(values)
    with printer.delimited(*brackets):
        for position, number in enumerate(integers(static)):
            if position:
                printer.print_string(", ")
            if number == DYNAMIC_INDEX:
                printer.print_ssa_value(next(dynamic))
            else:
                printer.print_string(str(number))


def as_memref(type: Attribute) -> MemRefType[Attribute] | None:
    """Return `type` if it is a ranked memref, else None."""
    return type if is_memref(type) else None


def same_type(a: Attribute, b: Attribute) -> bool:
    """Return whether two types are equal; the unknown type of an unparsed value equals every type."""
    return a == b or "gpuasync.unknown" in (a.name, b.name)


def i1_like(type: Attribute) -> Attribute:
    """Return the result type of a comparison: i1, or a vector or tensor of i1 with the shape of `type`."""
    if is_vector(type):
        return VectorType(i1, type.get_shape(), type.scalable_dims)
    if is_tensor(type):
        return TensorType(i1, type.get_shape(), type.encoding)
    if type.name == "llvm.vec":
        scalable, size, _ = cast(ParametrizedAttribute, type).parameters
        return VectorType(i1, [cast(IntAttr, size).data], ArrayAttr([cast(BoolAttr, scalable)]))
    return UnrankedTensorType(i1) if isinstance(type, UnrankedTensorType) else i1


Known = TypeVar("Known", bound=IRDLOperation)


def named(base: type[Known], name: str, **more: object) -> type[Known]:
    """Return a subclass of `base` for the op `name`; `more` contains additional class attributes."""
    body = {"name": name, "__doc__": f"`{name}`.", "__module__": base.__module__, **more}
    class_name = f"{name.title().replace('.', '').replace('_', '')}Op"
    return irdl_op_definition(cast(type[Known], type(class_name, (base,), body)))
