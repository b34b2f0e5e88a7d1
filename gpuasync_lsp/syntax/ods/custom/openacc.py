"""Clauses of OpenACC: variables, and operands that are of some device types only.

Source: the parsers and printers in OpenACC.cpp (19 and 22).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import UNIT
from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.printer import attribute_text

_POINTERS = ("memref", "llvm.ptr")
"""The types that MLIR takes for pointers: a variable of one is a `varPtr`."""
_NONE = "#acc.device_type<none>"

# Variables


def read_variable(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`varPtr(%a`, or `var(%a`: a variable up to its type."""
    _read_keyword(parser, "varPtr", "var")
    parser.parse_punctuation("(")
    parts.names[names(arguments)[0]] = [parser.parse_unresolved_operand()]


def write_variable(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (value,) = written.operands[names(arguments)[0]]
    written.printer.print_string("varPtr(" if value.type.name in _POINTERS else "var(")
    written.printer.print_ssa_value(value)


def read_variable_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`memref<4xf32>) varType(f32)`: without the last, a variable is what its memref has for elements."""
    (name,) = names(arguments)
    type = parser.parse_type()
    parser.parse_punctuation(")")
    parts.types[_variable(parts)] = [type]
    said: Attribute = _element(type)
    if parser.parse_optional_keyword("varType") is not None:
        with parser.in_parens():
            said = parser.parse_type()
    parts.properties[name] = said


def write_variable_type(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (value,) = written.operands["var" if "var" in written.operands else "varPtr"]
    written.printer.print_attribute(value.type)
    written.printer.print_string(")")
    said = written.op.properties[names(arguments)[0]]
    if said != _element(value.type):
        written.printer.print_string(" varType(")
        written.printer.print_attribute(said)
        written.printer.print_string(")")


def _variable(parts: Parts) -> str:
    return next(name for name, _ in parts.variant.operands if name in ("var", "varPtr"))


def _element(type: Attribute) -> Attribute:
    return cast("MemRefType[Attribute]", type).element_type if isinstance(type, MemRefType) else type


def read_device_variable(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`accPtr(%a : memref<4xf32>)`, or `accVar(...)`."""
    (name,) = names(arguments)
    _read_keyword(parser, "accPtr", "accVar")
    parser.parse_punctuation("(")
    read_typed(parser, parts, name)
    parser.parse_punctuation(")")


def write_device_variable(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    (value,) = written.operands[names(arguments)[0]]
    written.printer.print_string("accPtr(" if value.type.name in _POINTERS else "accVar(")
    write_typed(written, [value])
    written.printer.print_string(")")


def _read_keyword(parser: Parser, first: str, second: str) -> None:
    if parser.parse_optional_keyword(first) is None:
        parser.parse_keyword(second)


def read_recipe(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`@name`: how a variable is made private or reduced."""
    parts.properties[names(arguments)[0]] = parser.parse_attribute()


def write_recipe(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    written.printer.print_attribute(written.op.properties[names(arguments)[0]])


def read_recipes(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`@recipe -> %a : memref<4xf32>, ...`, up to LLVM 19."""
    operands, recipes = names(arguments)

    def read() -> Attribute:
        recipe = parser.parse_attribute()
        parser.parse_punctuation("->")
        read_typed(parser, parts, operands)
        return recipe

    parts.properties[recipes] = ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.NONE, read))


def write_recipes(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    operands, recipes = names(arguments)
    listed = cast("ArrayAttr[Attribute]", written.op.properties[recipes]).data
    for index, (recipe, value) in enumerate(zip(listed, written.operands[operands], strict=True)):
        written.printer.print_string(", " if index else "")
        written.printer.print_attribute(recipe)
        written.printer.print_string(" -> ")
        write_typed(written, [value])


# Operands that may be left out behind their keyword


def read_operands_or_none(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`(%a : i64)`, or nothing, which is a unit attribute."""
    operands, alone = names(arguments)
    if parser.parse_optional_punctuation("(") is None:
        parts.properties[alone] = UNIT
        return
    found = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    parser.parse_punctuation(":")
    parts.names[operands] = found
    parts.types[operands] = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")


def write_operands_or_none(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    operands, alone = names(arguments)
    if alone in written.op.properties:
        return
    values = written.operands[operands]
    written.printer.print_string("(")
    written.printer.print_list(values, written.printer.print_ssa_value)
    written.printer.print_string(" : ")
    written.printer.print_list([value.type for value in values], written.printer.print_attribute)
    written.printer.print_string(")")


# Operands of device types


def read_device_operands(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%a : i64 [#acc.device_type<nvidia>], %b : i64`: those of no device type are for all."""
    operands, devices, *_ = names(arguments)
    parts.names[operands], parts.types[operands] = [], []

    def read() -> Attribute:
        read_typed(parser, parts, operands)
        return read_device(parser)

    parts.properties[devices] = ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.NONE, read))


def write_device_operands(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    operands, devices, *_ = names(arguments)
    each = list(zip(written.operands[operands], elements_of(written, devices), strict=True))
    written.printer.print_list(each, lambda pair: _write_of_device(written, [pair[0]], pair[1]))


def read_operands_or_devices(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """As `read_device_operands` in parentheses, behind `[device types],` that have none; or nothing."""
    *_, alone = names(arguments)
    if read_alone(parser, parts, alone):
        read_device_operands(parser, parts, arguments)
        parser.parse_punctuation(")")


def write_operands_or_devices(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    operands, _, alone = names(arguments)
    write_alone(written, alone, written.operands[operands], lambda: write_device_operands(written, arguments))


def read_gangs(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`{%a : i32, %b : i32} [#acc.device_type<nvidia>]`: groups of operands, each for a device type."""
    operands, devices, segments = names(arguments)
    _read_groups(parser, parts, operands, devices, segments)


def write_gangs(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    _write_groups(written, *names(arguments))


def read_waits(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Groups of operands in parentheses, the first of which may be `devnum: %n : i32`; or nothing."""
    operands, devices, segments, numbers, alone = names(arguments)
    if read_alone(parser, parts, alone):
        parts.properties.setdefault(alone, ArrayAttr(()))
        parts.properties[numbers] = ArrayAttr(_read_groups(parser, parts, operands, devices, segments))
        parser.parse_punctuation(")")


def write_waits(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    operands, devices, segments, numbers, alone = names(arguments)
    write_alone(
        written,
        alone,
        written.operands[operands],
        lambda: _write_groups(written, operands, devices, segments, numbers),
    )


def read_alone(parser: Parser, parts: Parts, alone: str, *, may_end: bool = False) -> bool:
    """Read `([#acc.device_type<nvidia>], `, or nothing, which is for all; tell whether operands follow.

    With `may_end` the device types may stand alone in the parentheses.
    """
    if parser.parse_optional_punctuation("(") is None:
        parts.properties[alone] = ArrayAttr((of_all(parser),))
        return False
    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
    if listed is not None:
        parts.properties[alone] = ArrayAttr(listed)
        if may_end and parser.parse_optional_punctuation(")") is not None:
            return False
        parser.parse_punctuation(",")
    return True


def write_alone(written: Written, alone: str, values: Sequence[object], operands: Callable[[], None]) -> None:
    """Print it, with what `operands` prints where there are `values`."""
    devices = elements_of(written, alone)
    if not values and [attribute_text(each) for each in devices] == [_NONE]:
        return
    written.printer.print_string("(")
    if devices:
        written.printer.print_string("[")
        written.printer.print_list(devices, written.printer.print_attribute)
        written.printer.print_string("], " if values else "]")
    operands()
    written.printer.print_string(")")


def _read_groups(parser: Parser, parts: Parts, operands: str, devices: str, segments: str) -> list[Attribute]:
    """Read `{...} [device type], ...`; return which groups begin with a number of a device."""
    parts.names[operands], parts.types[operands] = [], []
    sizes, of_devices, numbers = list[int](), list[Attribute](), list[Attribute]()

    def read() -> None:
        before = len(parts.names[operands])
        parser.parse_punctuation("{")
        has_number = parser.parse_optional_keyword("devnum") is not None
        if has_number:
            parser.parse_punctuation(":")
        numbers.append(BoolAttr.from_bool(has_number))
        parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: read_typed(parser, parts, operands))
        parser.parse_punctuation("}")
        sizes.append(len(parts.names[operands]) - before)
        of_devices.append(read_device(parser))

    parser.parse_comma_separated_list(parser.Delimiter.NONE, read)
    parts.properties[devices] = ArrayAttr(of_devices)
    parts.properties[segments] = DenseArrayBase.from_list(i32, sizes)
    return numbers


def _write_groups(written: Written, operands: str, devices: str, segments: str, numbers: str = "") -> None:
    sizes = cast("DenseArrayBase[IntegerType]", written.op.properties[segments]).get_values()
    given = written.op.properties.get(numbers)
    with_number = cast("ArrayAttr[IntegerAttr[IntegerType]]", given).data if given is not None else ()
    at = 0
    for index, (size, device) in enumerate(zip(sizes, elements_of(written, devices), strict=True)):
        has_number = bool(with_number) and with_number[index].value.data != 0
        written.printer.print_string((", " if index else "") + "{" + "devnum: " * has_number)
        _write_of_device(written, written.operands[operands][at : at + int(size)], device, "}")
        at += int(size)


def read_typed(parser: Parser, parts: Parts, name: str) -> None:
    """Read `%a : i32`, one more operand of the group `name`."""
    parts.names.setdefault(name, []).append(parser.parse_unresolved_operand())
    parser.parse_punctuation(":")
    parts.types.setdefault(name, []).append(parser.parse_type())


def write_typed(written: Written, values: Iterable[SSAValue]) -> None:
    """Print `%a : i32, %b : i64`."""
    for index, value in enumerate(values):
        written.printer.print_string(", " if index else "")
        written.printer.print_ssa_value(value)
        written.printer.print_string(" : ")
        written.printer.print_attribute(value.type)


def _write_of_device(
    written: Written, values: Sequence[SSAValue], device: Attribute, behind: str = ""
) -> None:
    write_typed(written, values)
    written.printer.print_string(behind)
    write_device(written, device)


def write_device(written: Written, device: Attribute) -> None:
    """Print ` [#acc.device_type<nvidia>]`; nothing of what is for all."""
    if attribute_text(device) != _NONE:
        written.printer.print_string(" [")
        written.printer.print_attribute(device)
        written.printer.print_string("]")


def read_device(parser: Parser) -> Attribute:
    """Read `[#acc.device_type<nvidia>]`, or nothing, which is for all; return the device type."""
    if parser.parse_optional_punctuation("[") is None:
        return of_all(parser)
    found = parser.parse_attribute()
    parser.parse_punctuation("]")
    return found


def of_all(parser: Parser) -> Attribute:
    """Return the device type of what is for all."""
    return Parser(parser.ctx, _NONE).parse_attribute()


def elements_of(written: Written, name: str) -> Sequence[Attribute]:
    """Return what is in the array `name`; nothing where the op has no such attribute."""
    found = written.op.properties.get(name)
    return cast("ArrayAttr[Attribute]", found).data if isinstance(found, ArrayAttr) else ()
