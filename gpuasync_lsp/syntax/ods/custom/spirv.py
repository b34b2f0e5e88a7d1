"""How spirv writes pointers, by their storage class and what they point to, and parts of composites.

Source: the parsers and printers below mlir/lib/Dialect/SPIRV/IR (16, 19 and 22).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnregisteredAttr,
    i32,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import i64_attr, refuse
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, typed_names, words
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.opaque import UNKNOWN
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.spirv_types import NoComponent, component, members, pointer

_CASE = re.compile(r"[\w|]+")

# Enumerations


def read_case(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`"GLCompute"`: a case of an enumeration of the dialect."""
    (name,) = names(arguments)
    constraint, position = parts.variant.attributes[name], parser.pos
    word = parser.parse_str_literal()
    if not set(word.split("|")) <= set(constraint.cases):
        refuse(parser, parts.variant.name, f'invalid {name} attribute specification: "{word}"', position)
    parts.properties[name] = _attribute(parser, f"#{constraint.written}<{word}>")


def write_case(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    written.printer.print_string(f'"{_word(written.op.properties[names(arguments)[0]])}"')


def read_control(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`control(Unroll)`, or nothing, which is `None`."""
    (name,) = names(arguments)
    word = "None"
    if parser.parse_optional_keyword("control") is not None:
        start = parser.pos + 1
        with parser.in_parens():
            cases = [parser.parse_identifier()]
            while parser.parse_optional_punctuation("|") is not None:
                cases.append(parser.parse_identifier())
            if not set(cases) <= set(parts.variant.attributes[name].cases):
                refuse(parser, parts.variant.name, f"invalid {name} attribute specification", start)
            word = "|".join(cases)
    parts.properties[name] = _attribute(parser, f"#{parts.variant.attributes[name].written}<{word}>")


def write_control(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    written.printer.print_string(f"control({_word(written.op.properties[names(arguments)[0]])})")


def has_control(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether it is said."""
    return _word(written.op.properties[names(arguments)[0]]) != "None"


# Memory


def read_storage(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`"Function"`: where the pointer that follows points to."""
    parts.noted = parser.parse_str_literal()


def write_storage(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (value,) = written.operands[names(arguments)[0]]
    found = pointer(value.type)
    written.printer.print_string(f'"{found[1] if found is not None else ""}"')


def read_access(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`["Aligned", 4]`, or nothing."""
    access, alignment = names(arguments)
    if parser.parse_optional_punctuation("[") is None:
        return
    read_case(parser, parts, arguments[:1])
    if "Aligned" in _word(parts.properties[access]):
        parser.parse_punctuation(",")
        parts.properties[alignment] = IntegerAttr(parser.parse_integer(), i32)
    parser.parse_punctuation("]")


def write_access(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    access, alignment = names(arguments)
    aligned = written.op.properties.get(alignment)
    written.printer.print_string(f'["{_word(written.op.properties[access])}"')
    if aligned is not None:
        written.printer.print_string(f", {cast('IntegerAttr[IntegerType]', aligned).value.data}")
    written.printer.print_string("]")


def has_access(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether it is said."""
    return names(arguments)[0] in written.op.properties


def read_pointee(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`f32`: what a pointer points to, and what is loaded or stored."""
    pointer_name, value = typed_names(arguments)
    type = parser.parse_type()
    parts.types[pointer_name] = [_type(parser, f"!spirv.ptr<{attribute_text(type)}, {parts.noted}>")]
    parts.types[value] = [type]


def write_pointee(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    value = typed_names(arguments)[1]
    (found,) = written.operands.get(value) or written.results[value]
    written.printer.print_attribute(found.type)


def read_variable(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`!spirv.ptr<f32, Function>`: says the storage class and the type of the initial value, too."""
    (storage,) = names(arguments)
    value, made = typed_names(arguments)
    start = parser.pos
    type = parser.parse_type()
    found = pointer(type)
    if found is None:
        refuse(parser, parts.variant.name, "expected spirv.ptr type", start)
    parts.types[made] = [type]
    if parts.names.get(value):
        parts.types[value] = [_type(parser, found[0])]
    parts.properties[storage] = _attribute(parser, f"#spirv.storage_class<{found[1]}>")


def write_variable(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    written.printer.print_attribute(written.op.results[0].type)


# Composites


def read_component(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`vector<3xi32>`: what is taken from a composite has the type that stands there."""
    (indices,) = names(arguments)
    composite, part = typed_names(arguments)
    start = parser.pos
    type = parser.parse_type()
    found = component(type, parts.properties[indices])
    if isinstance(found, NoComponent):
        refuse(parser, parts.variant.name, found.words, start)
    parts.types[composite] = [type]
    parts.types[part] = [UNKNOWN if found is None else _type(parser, found)]


def write_component(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (value,) = written.operands[typed_names(arguments)[0]]
    written.printer.print_attribute(value.type)


def read_alike(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`vector<3xi32>`: the one type of several values."""
    type = parser.parse_type()
    parts.types |= {name: [type] * len(parts.names.get(name, (type,))) for name in typed_names(arguments)}


def write_alike(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    name = typed_names(arguments)[0]
    values = written.operands.get(name) or written.results[name]
    written.printer.print_attribute(values[0].type)


def read_members(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`!spirv.struct<(i32, i32)>`: the operands are of the type of its members."""
    *operands, made = typed_names(arguments)
    type = parser.parse_type()
    found = members(type)
    parts.types[made] = [type]
    each = UNKNOWN if not found else _type(parser, found[0])
    parts.types |= {name: [each] for name in operands}


def write_last(written: Written, arguments: Sequence[Element]) -> None:
    """Print the type of the last value."""
    (value,) = written.results[typed_names(arguments)[-1]]
    written.printer.print_attribute(value.type)


# Names and lists


def read_symbol(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`@name`: what the op defines."""
    parts.properties[names(arguments)[0]] = parser.parse_symbol_name()


def write_symbol(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    name = cast(StringAttr, written.op.properties[names(arguments)[0]])
    written.printer.print_symbol_name(name.data)


def read_more(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`, @a, @b`, `, 32, 1, 1` or nothing: symbols, or numbers of 32 bits."""
    found: list[Attribute] = []
    while parser.parse_optional_punctuation(",") is not None:
        number = parser.parse_optional_integer(allow_boolean=False)
        found.append(parser.parse_attribute() if number is None else IntegerAttr(number, i32))
    parts.properties[names(arguments)[0]] = ArrayAttr(found)


def write_more(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    for each in cast("ArrayAttr[Attribute]", written.op.properties[names(arguments)[0]]).data:
        written.printer.print_string(", ")
        if isinstance(each, SymbolRefAttr):
            written.printer.print_attribute(each)
        else:
            written.printer.print_string(str(cast("IntegerAttr[IntegerType]", each).value.data))


def has_more(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether there are any."""
    return bool(cast("ArrayAttr[Attribute]", written.op.properties[names(arguments)[0]]).data)


def read_spec_id(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`spec_id(5)`, or nothing: the number that sets a constant; the definition does not have it."""
    (name,) = words(arguments)
    if parser.parse_optional_keyword(name) is not None:
        with parser.in_parens():
            parts.attributes[name] = i64_attr(parser.parse_integer())


def write_spec_id(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (name,) = words(arguments)
    number = cast("IntegerAttr[IntegerType]", written.op.attributes[name]).value.data
    written.printer.print_string(f"{name}({number})")


def has_spec_id(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether there is one."""
    return isinstance(written.op.attributes.get(words(arguments)[0]), IntegerAttr)


def read_constituents(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`(@a, @b)`: the constants of a composite."""
    found = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_attribute)
    parts.properties[names(arguments)[0]] = ArrayAttr(found)


def write_constituents(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    found = cast("ArrayAttr[Attribute]", written.op.properties[names(arguments)[0]]).data
    with written.printer.in_parens():
        written.printer.print_list(found, written.printer.print_attribute)


def read_weights(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`[3, 4]`, or nothing: how often each branch is taken."""
    if parser.parse_optional_punctuation("[") is None:
        return
    first = parser.parse_integer()
    parser.parse_punctuation(",")
    second = parser.parse_integer()
    parser.parse_punctuation("]")
    numbers = [IntegerAttr(number, i32) for number in (first, second)]
    parts.properties[names(arguments)[0]] = ArrayAttr(numbers)


def write_weights(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    listed = cast("ArrayAttr[IntegerAttr[IntegerType]]", written.op.properties[names(arguments)[0]])
    written.printer.print_string(f"[{', '.join(str(each.value.data) for each in listed)}]")


def has_weights(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether they are said."""
    return names(arguments)[0] in written.op.properties


def _word(value: Attribute) -> str:
    """Return the case of an enumeration: `Function` of `#spirv.storage_class<Function>`."""
    if isinstance(value, UnregisteredAttr):
        return value.value.data.strip()
    found = _CASE.findall(attribute_text(value))
    return found[-1] if found else ""


def _attribute(parser: Parser, text: str) -> Attribute:
    return Parser(parser.ctx, text).parse_attribute()


def _type(parser: Parser, text: str) -> Attribute:
    return Parser(parser.ctx, text).parse_type()
