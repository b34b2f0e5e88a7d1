"""What `acc.loop` and `acc.routine` say of parallelism: gangs, tiles, bounds of loops, names of routines.

Source: the parsers and printers in OpenACC.cpp (19 and 22).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import parse_operand_names, parse_types, refuse
from gpuasync_lsp.syntax.ods.custom.openacc import (
    elements_of,
    of_all,
    read_alone,
    read_device,
    read_typed,
    write_alone,
    write_device,
    write_typed,
)
from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.printer import attribute_text

_GANGS = ("num", "dim", "static")
_CONSTRUCTS = ("kernels", "parallel", "serial")
_BOUNDS = ("=", "to", "step")


def read_gang(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`({num=%a : i32, static=%b : i64} [#acc.device_type<nvidia>])`, device types alone, or nothing."""
    operands, kinds, devices, segments, alone = names(arguments)
    if not read_alone(parser, parts, alone, may_end=True):
        return
    parts.names[operands], parts.types[operands] = [], []
    of_operands, of_groups, sizes = list[Attribute](), list[Attribute](), list[int]()

    def value() -> None:
        kind = parser.parse_keyword_in(_GANGS)
        parser.parse_punctuation("=")
        of_operands.append(_attribute(parser, f"#acc.gang_arg_type<{kind.capitalize()}>"))
        read_typed(parser, parts, operands)

    def group() -> None:
        sizes.append(len(parser.parse_comma_separated_list(parser.Delimiter.BRACES, value)))
        of_groups.append(read_device(parser))

    parser.parse_comma_separated_list(parser.Delimiter.NONE, group)
    parser.parse_punctuation(")")
    parts.properties[kinds] = ArrayAttr(of_operands)
    parts.properties[devices] = ArrayAttr(of_groups)
    parts.properties[segments] = DenseArrayBase.from_list(i32, sizes)


def write_gang(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    operands, kinds, devices, segments, alone = names(arguments)
    values, printer = written.operands[operands], written.printer

    def groups() -> None:
        sizes = cast("DenseArrayBase[IntegerType]", written.op.properties[segments]).get_values()
        words = [
            attribute_text(kind).rpartition("<")[2].rstrip(">").lower()
            for kind in elements_of(written, kinds)
        ]
        at = 0
        for index, (size, device) in enumerate(zip(sizes, elements_of(written, devices), strict=True)):
            printer.print_string(", {" if index else "{")
            for number in range(at, at + int(size)):
                printer.print_string(f"{', ' if number > at else ''}{words[number]}=")
                write_typed(written, [values[number]])
            printer.print_string("}")
            write_device(written, device)
            at += int(size)

    write_alone(written, alone, values, groups)


def read_construct(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`kernels`, the construct that a loop is combined with; `combined(kernels)` or nothing up to LLVM 19."""
    (name,) = names(arguments)
    says_combined = _says_combined(parts.variant.format)
    if says_combined and parser.parse_optional_keyword("combined") is None:
        return
    if says_combined:
        parser.parse_punctuation("(")
    construct = parser.parse_keyword_in(_CONSTRUCTS)
    if says_combined:
        parser.parse_punctuation(")")
    parts.properties[name] = _attribute(parser, f"#acc.combined_constructs<{construct}_loop>")


def write_construct(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    value = attribute_text(written.op.properties[names(arguments)[0]])
    construct = value.rpartition("<")[2].removesuffix("_loop>")
    text = f"combined({construct})" if _says_combined(written.variant.format) else construct
    written.printer.print_string(text)


def has_construct(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether it is said."""
    return names(arguments)[0] in written.op.properties


def _says_combined(format: str) -> bool:
    """Tell whether the directive of a format has to say the keyword itself."""
    return "`combined`" not in format


def read_control(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """`control(%i : i32) = (%a : i32) to (%b : i32) step (%c : i32) {...}`, or only the region."""
    region, *bounds = names(arguments)
    variables: list[Parser.Argument] = []
    if parser.parse_optional_keyword("control") is not None:
        variables = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        for name, word in zip(bounds, _BOUNDS, strict=True):
            if word == "=":
                parser.parse_punctuation(word)
            else:
                parser.parse_keyword(word)
            with parser.in_parens():
                start = parser.pos
                parts.names[name] = parse_operand_names(parser)
                if len(parts.names[name]) != len(variables):
                    refuse(parser, parts.variant.name, f"expected {len(variables)} operands", start)
                parser.parse_punctuation(":")
                parts.types[name] = parse_types(parser)
    parts.regions[region] = [parts.read_region(parser, variables)]


def write_control(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    region, *bounds = names(arguments)
    printer = written.printer
    (body,) = written.regions[region]
    block = body.blocks.first
    if block is not None and block.args:
        printer.print_string("control(")
        write_typed(written, block.args)
        printer.print_string(")")
        for name, word in zip(bounds, _BOUNDS, strict=True):
            printer.print_string(f" {word} (")
            _write_list(written, written.operands[name])
            printer.print_string(")")
        printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


def read_bind_names(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`@f [#acc.device_type<nvidia>], "g"`: the names of a routine on devices; only strings up to LLVM 19."""
    *symbols, texts = _by_kind(names(arguments))
    found: dict[str, list[Attribute]] = {name: [] for pair in (*symbols, texts) for name in pair}

    def read() -> None:
        text = parser.parse_optional_str_literal()
        if text is None and not symbols:
            parser.raise_error("expected string literal")
        value = StringAttr(text) if text is not None else parser.parse_attribute()
        name, devices = texts if text is not None else symbols[0]
        found[name].append(value)
        found[devices].append(read_device(parser))

    parser.parse_comma_separated_list(parser.Delimiter.NONE, read)
    parts.properties |= {name: ArrayAttr(values) for name, values in found.items()}


def write_bind_names(written: Written, arguments: Sequence[Element]) -> None:
    """Print them: symbols, then strings."""
    pairs = [
        pair
        for name, devices in _by_kind(names(arguments))
        for pair in zip(elements_of(written, name), elements_of(written, devices), strict=True)
    ]

    def write(pair: tuple[Attribute, Attribute]) -> None:
        written.printer.print_attribute(pair[0])
        write_device(written, pair[1])

    written.printer.print_list(pairs, write)


def _by_kind(of_format: Sequence[str]) -> list[tuple[str, str]]:
    """Return the attributes for each kind of name, with that for its device types: strings come last."""
    half = len(of_format) // 2
    return list(zip(of_format[:half], of_format[half:], strict=True))


def read_routine_gang(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`([#acc.device_type<nvidia>], dim: 1 : i64 [#acc.device_type<host>])`, or nothing."""
    alone, dimensions, devices = names(arguments)
    if not read_alone(parser, parts, alone):
        return
    parts.properties.setdefault(alone, ArrayAttr(()))
    of_dimensions, of_devices = list[Attribute](), list[Attribute]()

    def read() -> None:
        parser.parse_keyword("dim")
        parser.parse_punctuation(":")
        of_dimensions.append(parser.parse_attribute())
        of_devices.append(read_device(parser))

    parser.parse_comma_separated_list(parser.Delimiter.NONE, read)
    parser.parse_punctuation(")")
    parts.properties[dimensions] = ArrayAttr(of_dimensions)
    parts.properties[devices] = ArrayAttr(of_devices)


def write_routine_gang(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    alone, dimensions, devices = names(arguments)
    listed = elements_of(written, dimensions)

    def write() -> None:
        for index, (number, device) in enumerate(zip(listed, elements_of(written, devices), strict=True)):
            written.printer.print_string(", dim: " if index else "dim: ")
            written.printer.print_attribute(cast("IntegerAttr[IntegerType]", number))
            write_device(written, device)

    write_alone(written, alone, listed, write)


def read_devices(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`([#acc.device_type<nvidia>])`, or nothing, which is for all."""
    (name,) = names(arguments)
    found: Sequence[Attribute] = (of_all(parser),)
    if parser.parse_optional_punctuation("(") is not None:
        found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
        parser.parse_punctuation(")")
    parts.properties[name] = ArrayAttr(found)


def write_devices(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    write_alone(written, names(arguments)[0], (), lambda: None)


def _write_list(written: Written, values: Sequence[SSAValue]) -> None:
    written.printer.print_list(values, written.printer.print_ssa_value)
    written.printer.print_string(" : ")
    written.printer.print_list([value.type for value in values], written.printer.print_attribute)


def _attribute(parser: Parser, text: str) -> Attribute:
    return Parser(parser.ctx, text).parse_attribute()
