"""The assembly of functions: `transform.named_sequence private @f(%a: !t {x}) -> i32 attributes {y} {...}`.

Source: `function_interface_impl::parseFunctionOp`.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.ir import Attribute, Operation, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.dialects.assembly import Attributes, parse_signature, print_signature, raise_error

_SHOWN = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


def read_function(parser: Parser, kind: type[Operation], inherent: frozenset[str]) -> Operation:
    """Parse a function after the op's name; raises a ParseError."""
    properties: Attributes = {}
    visibility = parser.parse_optional_visibility_keyword()
    name = parser.parse_optional_symbol_name()
    if name is None:
        raise_error(parser, kind.name, "expected valid '@'-identifier for symbol name")
    signature = parse_signature(parser)
    attributes: Attributes = {}
    if parser.parse_optional_keyword("attributes") is not None:
        attributes = parser.parse_optional_attr_dict()
    if visibility is not None:
        properties["sym_visibility"] = visibility
    properties |= signature.attributes | {
        "sym_name": name,
        "function_type": FunctionType.from_lists(signature.inputs, signature.results),
        **{each: value for each, value in attributes.items() if each in inherent},
    }
    region = parser.parse_optional_region(signature.arguments)
    return kind.create(
        properties=properties,
        attributes={each: value for each, value in attributes.items() if each not in inherent},
        regions=[region or Region()],
    )


def write_function(printer: Printer, op: Operation) -> None:
    """Print the text after the name of the op."""
    properties = op.properties
    name, type = properties["sym_name"], properties["function_type"]
    assert isinstance(name, StringAttr)
    assert isinstance(type, FunctionType)
    printer.print_string(" ")
    visibility = properties.get("sym_visibility")
    if isinstance(visibility, StringAttr):
        printer.print_string(f"{visibility.data} ")
    printer.print_symbol_name(name.data)
    entry = op.regions[0].blocks.first
    print_signature(
        printer,
        type.inputs.data,
        type.outputs.data,
        None if entry is None else entry.args,
        dictionaries(properties.get("arg_attrs")),
        dictionaries(properties.get("res_attrs")),
    )
    entries = {**properties, **op.attributes}
    shown = {each: value for each, value in sorted(entries.items()) if each not in _SHOWN}
    printer.print_op_attributes(shown, print_keyword=True)
    if entry is not None:
        printer.print_string(" ")
        printer.print_region(op.regions[0], print_entry_block_args=False, print_empty_block=False)


def is_function(op: Operation) -> bool:
    """Return whether the op can be printed: it has a name, and a type that matches the block arguments."""
    name, type = op.properties.get("sym_name"), op.properties.get("function_type")
    if not isinstance(name, StringAttr) or not isinstance(type, FunctionType) or len(op.regions) != 1:
        return False
    entry = op.regions[0].blocks.first
    return entry is None or tuple(argument.type for argument in entry.args) == type.inputs.data


def dictionaries(value: Attribute | None) -> ArrayAttr[DictionaryAttr] | None:
    """Return an array of dictionaries, such as the attributes of arguments; None for anything else."""
    return cast("ArrayAttr[DictionaryAttr]", value) if isinstance(value, ArrayAttr) else None
