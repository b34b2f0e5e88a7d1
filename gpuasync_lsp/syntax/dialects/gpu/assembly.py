"""Helpers for the assemblies of gpu ops: async dependencies, types, memory attributions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import i32_array, parse_operand_names
from gpuasync_lsp.syntax.dialects.gpu.attributes import AsyncTokenType

TOKEN = AsyncTokenType()
TOKENS: list[Attribute] = [TOKEN]
NO_TYPES: list[Attribute] = []


@cache
def segments(*sizes: int) -> DenseArrayBase:
    """Return the attribute that stores the segment sizes `sizes`."""
    return i32_array(sizes)


# async [%a, %b]


def parse_async(parser: Parser) -> tuple[list[SSAValue], list[Attribute]]:
    """Parse `async? ([%a, %b])?`; return the dependencies and the list of result types: empty, or one
    token."""
    token = TOKENS if parser.parse_optional_keyword("async") is not None else NO_TYPES
    return parse_dependencies(parser), token


def parse_dependencies(parser: Parser) -> list[SSAValue]:
    """Parse an optional list of tokens: `[%a, %b]`."""
    if parser.parse_optional_punctuation("[") is None:
        return []
    dependencies: list[SSAValue] = [
        parser.resolve_operand(name, TOKEN) for name in parse_operand_names(parser)
    ]
    parser.parse_punctuation("]")
    return dependencies


def print_async(printer: Printer, dependencies: Sequence[SSAValue], token: SSAValue | None) -> None:
    """Print the parts of ` async [%a, %b]` that are present."""
    if token is not None:
        printer.print_string(" async")
    if dependencies:
        printer.print_string(" [")
        printer.print_list(dependencies, printer.print_ssa_value)
        printer.print_string("]")


# Types


def wrong_kind(op_name: str, expected: str, found: Attribute) -> str:
    """Return MLIR's error for the type `found`, which is not an instance of the builtin type `expected`."""
    return (
        f"custom op '{op_name}' invalid kind of type specified: "
        f"expected builtin.{expected}, but found '{found}'"
    )


# workgroup(%a : memref<..> {..}) private(%b : memref<..>)


def parse_attributions(
    parser: Parser, keyword: str
) -> tuple[list[Parser.Argument], ArrayAttr[DictionaryAttr] | None]:
    """Parse `keyword(%a : type {attributes}, ...)` if present; return arguments and their attributes."""
    if parser.parse_optional_keyword(keyword) is None:
        return [], None
    pairs = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: (parser.parse_argument(), parser.parse_optional_attr_dict())
    )
    arguments = [argument for argument, _ in pairs]
    if not any(attributes for _, attributes in pairs):
        return arguments, None
    return arguments, ArrayAttr([DictionaryAttr(attributes) for _, attributes in pairs])


def print_attributions(
    printer: Printer,
    keyword: str,
    arguments: Sequence[BlockArgument],
    attributes: ArrayAttr[DictionaryAttr] | None = None,
) -> None:
    """Print ` keyword(%a : type {attributes}, ...)`, or nothing."""
    if not arguments:
        return
    printer.print_string(f" {keyword}(")
    for index, argument in enumerate(arguments):
        if index:
            printer.print_string(", ")
        printer.print_ssa_value(argument)
        printer.print_string(" : ")
        printer.print_attribute(argument.type)
        if attributes is not None:
            printer.print_op_attributes(attributes.data[index].data)
    printer.print_string(")")
