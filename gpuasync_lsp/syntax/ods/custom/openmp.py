"""Clauses of OpenMP, and the arguments that some of them name for the region behind them.

Source: the parsers and printers in OpenMPDialect.cpp (16 to 22).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    Signedness,
    i1,
    i64,
)
from xdsl.ir import Attribute, Region
from xdsl.parser import Parser

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    i64_array,
    i64_attr,
    integers,
    parse_operand_names,
    parse_types,
    refuse,
)
from gpuasync_lsp.syntax.ods.custom.parts import Written, names
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Argument, Parts
from gpuasync_lsp.syntax.printer import attribute_text

_LABEL = re.compile(r"\s*\^")

# Words of enumerations


def _case(parser: Parser, parts: Parts, name: str, word: str) -> Attribute | None:
    """Return the attribute `name` that `word` stands for, None if it is no case of it."""
    constraint = parts.variant.attributes[name]
    if word not in constraint.cases:
        return None
    body = f"({word})" if constraint.format.startswith("`(`") else word
    dialect, _, kind = constraint.written.partition(".")
    return Parser(parser.ctx, f"#{dialect}<{kind} {body}>").parse_attribute()


def _word(attribute: Attribute) -> str:
    """Return the case that an attribute of an enumeration is."""
    return attribute_text(attribute).removesuffix(">").partition(" ")[2].strip("()")


def _put_word(written: Written, name: str, front: str = "", behind: str = "") -> None:
    value = written.op.properties.get(name)
    if value is not None:
        written.printer.print_string(f"{front}{_word(value)}{behind}")


def read_clause(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`close`: one case of an enumeration."""
    (name,) = names(arguments)
    start = parser.pos
    word = parser.parse_identifier()
    found = _case(parser, parts, name, word)
    if found is None:
        refuse(parser, parts.variant.name, f"invalid clause value: '{word}'", start)
    parts.properties[name] = found


def write_clause(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    _put_word(written, names(arguments)[0])


def read_order(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`reproducible:concurrent`."""
    kind, modifier = names(arguments)
    start = parser.pos
    word = parser.parse_identifier()
    found = _case(parser, parts, modifier, word)
    if found is not None:
        parts.properties[modifier] = found
        parser.parse_optional_punctuation(":")
        start = parser.pos
        word = parser.parse_identifier()
    found = _case(parser, parts, kind, word)
    if found is None:
        refuse(parser, parts.variant.name, f"invalid clause value: '{word}'", start)
    parts.properties[kind] = found


def write_order(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    kind, modifier = names(arguments)
    _put_word(written, modifier, behind=":")
    _put_word(written, kind)


_HINTS = ("uncontended", "contended", "nonspeculative", "speculative")


def read_hint(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`contended, speculative`, or `none`: bits of a number."""
    (name,) = names(arguments)
    if parser.parse_optional_keyword("none") is not None:
        parts.properties[name] = i64_attr(0)
        return
    bits = 0
    for word in parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_identifier):
        if word not in _HINTS:
            refuse(parser, parts.variant.name, f"{word} is not a valid hint")
        bits |= 1 << _HINTS.index(word)
    parts.properties[name] = i64_attr(bits)


def write_hint(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    bits = cast(IntegerAttr, written.op.properties[names(arguments)[0]]).value.data
    said = [word for at, word in enumerate(_HINTS) if bits >> at & 1]
    written.printer.print_string(", ".join(said) or "none")


_CHUNKED = frozenset({"static", "dynamic", "guided"})


def read_schedule(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`dynamic = %chunk : i32, nonmonotonic, simd`."""
    kind, modifier, simd, chunk = names(arguments)
    op = parts.variant.name
    word = parser.parse_identifier()
    found = _case(parser, parts, kind, word)
    if found is None:
        refuse(parser, op, " expected schedule kind")
    parts.properties[kind] = found
    if word in _CHUNKED and parser.parse_optional_punctuation("=") is not None:
        parts.names[chunk] = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(":")
        parts.types[chunk] = [parser.parse_type()]
    modifiers: list[str] = []
    while parser.parse_optional_punctuation(",") is not None:
        modifiers.append(parser.parse_identifier())
    if len(modifiers) > 2:
        refuse(parser, op, " unexpected modifier(s)")
    for each in modifiers:
        if each not in parts.variant.attributes[modifier].cases:
            refuse(parser, op, f" unknown modifier type: {each}")
    if modifiers == ["simd"]:
        modifiers.insert(0, "none")
    elif len(modifiers) == 2 and (modifiers[0] == "simd" or modifiers[1] != "simd"):
        refuse(parser, op, " incorrect modifier order")
    if modifiers and (first := _case(parser, parts, modifier, modifiers[0])) is not None:
        parts.properties[modifier] = first
    if len(modifiers) > 1:
        parts.properties[simd] = UNIT


def write_schedule(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    kind, modifier, simd, chunk = names(arguments)
    _put_word(written, kind)
    for value in written.operands[chunk]:
        written.printer.print_string(" = ")
        written.printer.print_ssa_value(value)
        written.printer.print_string(" : ")
        written.printer.print_attribute(value.type)
    _put_word(written, modifier, front=", ")
    written.printer.print_string(", simd" if simd in written.op.properties else "")


def read_granularity(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`strict, %n : i32`: how many iterations a task gets, or how many tasks there are."""
    modifier, size = names(arguments)
    word = parser.parse_optional_identifier()
    if word is not None:
        found = _case(parser, parts, modifier, word)
        if found is None:
            refuse(parser, parts.variant.name, f"invalid {size} modifier : '{word}'")
        parts.properties[modifier] = found
        parser.parse_punctuation(",")
    parts.names[size] = [parser.parse_unresolved_operand()]
    parser.parse_punctuation(":")
    parts.types[size] = [parser.parse_type()]


def write_granularity(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    modifier, size = names(arguments)
    _put_word(written, modifier, behind=", ")
    (value,) = written.operands[size]
    written.printer.print_ssa_value(value)
    written.printer.print_string(": ")
    written.printer.print_attribute(value.type)


# Lists of operands with something each


def _listed(parser: Parser, one: Callable[[], None]) -> None:
    parser.parse_comma_separated_list(Parser.Delimiter.NONE, one)


def _operand(parser: Parser, parts: Parts, name: str) -> None:
    parts.names.setdefault(name, []).append(parser.parse_unresolved_operand())


def _type(parser: Parser, parts: Parts, name: str) -> None:
    parser.parse_punctuation(":")
    parts.types.setdefault(name, []).append(parser.parse_type())


def _put_value(written: Written, name: str, at: int, *, typed: bool = True) -> None:
    value = written.operands[name][at]
    written.printer.print_ssa_value(value)
    if typed:
        written.printer.print_string(" : ")
        written.printer.print_attribute(value.type)


def _put_list(written: Written, name: str, one: Callable[[int], None]) -> None:
    written.printer.print_list(range(len(written.operands[name])), one)


def read_allocators(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%allocator : i32 -> %variable : memref<i32>, ...`."""
    variables, allocators = names(arguments)

    def one() -> None:
        _operand(parser, parts, allocators)
        _type(parser, parts, allocators)
        parser.parse_punctuation("->")
        _operand(parser, parts, variables)
        _type(parser, parts, variables)

    _listed(parser, one)


def write_allocators(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    variables, allocators = names(arguments)

    def one(at: int) -> None:
        _put_value(written, allocators, at)
        written.printer.print_string(" -> ")
        _put_value(written, variables, at)

    _put_list(written, variables, one)


def read_linear(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%variable = %step : memref<i32>, ...`."""
    variables, steps = names(arguments)[:2]

    def one() -> None:
        _operand(parser, parts, variables)
        parser.parse_punctuation("=")
        _operand(parser, parts, steps)
        _type(parser, parts, variables)

    _listed(parser, one)


def write_linear(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    variables, steps = names(arguments)[:2]

    def one(at: int) -> None:
        _put_value(written, variables, at, typed=False)
        written.printer.print_string(" = ")
        _put_value(written, steps, at, typed=False)
        written.printer.print_string(" : ")
        written.printer.print_attribute(written.operands[variables][at].type)

    _put_list(written, variables, one)


def read_aligned(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%variable : memref<i32> -> 32 : i64, ...`."""
    variables, alignments = names(arguments)
    found: list[Attribute] = []

    def one() -> None:
        _operand(parser, parts, variables)
        _type(parser, parts, variables)
        parser.parse_punctuation("->")
        found.append(parser.parse_attribute())

    _listed(parser, one)
    parts.properties[alignments] = ArrayAttr(found)


def write_aligned(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    variables, alignments = names(arguments)
    listed = _attributes(written, alignments)

    def one(at: int) -> None:
        _put_value(written, variables, at)
        written.printer.print_string(" -> ")
        written.printer.print_attribute(listed[at])

    _put_list(written, variables, one)


def read_depend(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`taskdependin -> %variable : memref<i32>, ...`."""
    variables, kinds = names(arguments)
    found: list[Attribute] = []

    def one() -> None:
        word = parser.parse_identifier()
        found.append(Parser(parser.ctx, f"#omp<clause_task_depend ({word})>").parse_attribute())
        parser.parse_punctuation("->")
        _operand(parser, parts, variables)
        _type(parser, parts, variables)

    _listed(parser, one)
    parts.properties[kinds] = ArrayAttr(found)


def write_depend(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    variables, kinds = names(arguments)
    listed = _attributes(written, kinds)

    def one(at: int) -> None:
        written.printer.print_string(f"{_word(listed[at])} -> ")
        _put_value(written, variables, at)

    _put_list(written, variables, one)


def read_copyprivate(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%variable -> @copy : memref<i32>, ...`."""
    variables, functions = names(arguments)
    found: list[Attribute] = []

    def one() -> None:
        _operand(parser, parts, variables)
        parser.parse_punctuation("->")
        found.append(parser.parse_attribute())
        _type(parser, parts, variables)

    _listed(parser, one)
    parts.properties[functions] = ArrayAttr(found)


def write_copyprivate(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    variables, functions = names(arguments)
    listed = _attributes(written, functions)

    def one(at: int) -> None:
        _put_value(written, variables, at, typed=False)
        written.printer.print_string(" -> ")
        written.printer.print_attribute(listed[at])
        written.printer.print_string(" : ")
        written.printer.print_attribute(written.operands[variables][at].type)

    _put_list(written, variables, one)


def _attributes(written: Written, name: str) -> Sequence[Attribute]:
    return cast(ArrayAttr[Attribute], written.op.properties[name]).data


def _flags(values: Sequence[bool]) -> Attribute:
    return DenseArrayBase.from_list(i1, [int(each) for each in values])


def _set(written: Written, name: str | None, count: int) -> Sequence[int]:
    """Return the numbers of an array attribute, zeros where there is none."""
    value = None if name is None else written.op.properties.get(name)
    return integers(cast(DenseArrayBase, value)) if isinstance(value, DenseArrayBase) else [0] * count


def read_reductions(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`byref @add -> %variable : memref<i32>, ...`: up to LLVM 19, where the region names its arguments."""
    variables, *by_reference, symbols = names(arguments)
    found: list[Attribute] = []
    flags: list[bool] = []

    def one() -> None:
        flags.append(bool(by_reference) and parser.parse_optional_keyword("byref") is not None)
        found.append(parser.parse_attribute())
        parser.parse_punctuation("->")
        _operand(parser, parts, variables)
        _type(parser, parts, variables)

    _listed(parser, one)
    parts.properties[symbols] = ArrayAttr(found)
    for name in by_reference:
        parts.properties[name] = _flags(flags)


def write_reductions(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    variables, *by_reference, symbols = names(arguments)
    listed = _attributes(written, symbols)
    flags = _set(written, by_reference[0] if by_reference else None, len(listed))

    def one(at: int) -> None:
        written.printer.print_string("byref " if flags[at] else "")
        written.printer.print_attribute(listed[at])
        written.printer.print_string(" -> ")
        _put_value(written, variables, at)

    _put_list(written, variables, one)


# Maps of target regions

_MAP_BITS = {"always": 4, "implicit": 0x200, "ompx_hold": 0x2000, "close": 0x400, "present": 0x1000}
_MAP_WAYS = {"tofrom": 3, "from": 2, "to": 1, "delete": 8}
_NO_WAY = "exit_release_or_enter_alloc"
_UI64 = IntegerType(64, Signedness.UNSIGNED)


def read_map(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`always, implicit, to`: bits of a number up to LLVM 21, then a set of words."""
    (name,) = names(arguments)
    found = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_identifier)
    constraint = parts.variant.attributes[name]
    if constraint.type:
        known = {**_MAP_BITS, **_MAP_WAYS}
        bits = 0
        for word in found:
            bits |= known.get(word, 0)  # MLIR says nothing of another word
        parts.properties[name] = IntegerAttr(bits, _UI64)
        return
    ordered = [each for each in constraint.cases if each in _spelled_out(found)]
    text = f"#omp<clause_map_flags {'|'.join(ordered) or 'none'}>"
    parts.properties[name] = Parser(parser.ctx, text).parse_attribute()


def _spelled_out(found: Sequence[str]) -> set[str]:
    """Return the flags that words of a map stand for since LLVM 22."""
    flags = set(found)
    if "tofrom" in flags:
        flags |= {"to", "from"}
    return flags


def write_map(written: Written, arguments: Sequence[Element]) -> None:
    """Print it, the way of the data last."""
    value = written.op.properties[names(arguments)[0]]
    if isinstance(value, IntegerAttr):
        bits = value.value.data
        said = [word for word, bit in _MAP_BITS.items() if bits & bit]
        said += [next((word for word in ("tofrom", "from", "to") if bits & 3 == _MAP_WAYS[word]), "")]
        said += ["delete" if bits & 8 else ""]
        written.printer.print_string(", ".join(filter(None, said)) or _NO_WAY)
        return
    flags = _word(value).split("|")
    said = [each for each in flags if each not in ("to", "from", "none")]
    ways = [each for each in ("to", "from") if each in flags]
    said += ["".join(ways)] if ways else []
    written.printer.print_string(", ".join(said) or "none")


def read_members(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """`[0, 1], [2]`: where the members of a map are in it."""
    rows = parser.parse_comma_separated_list(
        Parser.Delimiter.NONE,
        lambda: parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_integer),
    )
    name = names(arguments)[0]
    if 19 in parts.variant.releases:  # a matrix there, of rows that are as long as the longest
        width = max(map(len, rows))
        padded = [[*row, *[-1] * (width - len(row))] for row in rows]
        text = f"dense<{padded}> : tensor<{len(rows)}x{width}xi32>"
        parts.properties[name] = Parser(parser.ctx, text).parse_attribute()
        return
    parts.properties[name] = ArrayAttr([ArrayAttr([IntegerAttr(each, i64) for each in row]) for row in rows])


def write_members(written: Written, arguments: Sequence[Element]) -> None:
    """Print them."""
    value = written.op.properties[names(arguments)[0]]
    if isinstance(value, ArrayAttr):
        rows = [
            [each.value.data for each in cast("ArrayAttr[IntegerAttr]", row)]
            for row in cast("ArrayAttr[Attribute]", value)
        ]
    else:
        dense = cast(Any, value)
        width = dense.type.get_shape()[1]
        flat = [int(each) for each in dense.get_values()]
        rows = [[each for each in flat[at : at + width] if each >= 0] for at in range(0, len(flat), width)]
    written.printer.print_string(", ".join(f"[{', '.join(map(str, row))}]" for row in rows))


def read_entries(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`%map -> %argument, ... : !llvm.ptr, ...` in LLVM 19; without arguments where there is no region."""
    (name,) = names(arguments)

    def one() -> None:
        _operand(parser, parts, name)
        if parser.parse_optional_punctuation("->") is not None:
            parser.parse_unresolved_operand()

    _listed(parser, one)
    parser.parse_punctuation(":")
    parts.types[name] = parse_types(parser)


def write_entries(written: Written, arguments: Sequence[Element]) -> None:
    """Print them with the arguments of the region."""
    (name,) = names(arguments)
    block = written.op.regions[0].blocks.first if written.op.regions else None

    def one(at: int) -> None:
        _put_value(written, name, at, typed=False)
        if block is not None and at < len(block.args):
            written.printer.print_string(" -> ")
            written.printer.print_ssa_value(block.args[at])

    _put_list(written, name, one)
    written.printer.print_string(" : ")
    written.printer.print_list(
        [each.type for each in written.operands[name]], written.printer.print_attribute
    )


def read_privates(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`@p %x -> %argument : memref<i32>, ...` of a region in LLVM 19 that names its arguments itself."""
    variables, symbols = names(arguments)
    found: list[Attribute] = []

    def one() -> None:
        found.append(parser.parse_attribute())
        _operand(parser, parts, variables)
        parser.parse_punctuation("->")
        parser.parse_unresolved_operand()
        _type(parser, parts, variables)

    _listed(parser, one)
    parts.properties[symbols] = ArrayAttr(found)


def write_privates(written: Written, arguments: Sequence[Element]) -> None:
    """Print them with the last arguments of the region."""
    variables, symbols = names(arguments)
    listed = _attributes(written, symbols)
    block = written.op.regions[0].blocks.first
    given = () if block is None else block.args[len(block.args) - len(listed) :]

    def one(at: int) -> None:
        written.printer.print_attribute(listed[at])
        written.printer.print_string(" ")
        _put_value(written, variables, at, typed=False)
        written.printer.print_string(" -> ")
        written.printer.print_list(given[at : at + 1], written.printer.print_ssa_value)
        written.printer.print_string(" : ")
        written.printer.print_attribute(written.operands[variables][at].type)

    _put_list(written, variables, one)


# Regions whose arguments clauses name

_CLAUSES = (
    "has_device_addr", "host_eval", "in_reduction", "map_entries", "private", "reduction", "task_reduction",
    "use_device_addr", "use_device_ptr",
)  # fmt: skip
"""In the order in which they are written."""
_NAMED = {"map_vars": "map_entries"}


@dataclass
class _Clause:
    """One clause by its word, and what its parts are called."""

    word: str
    variables: str = ""
    symbols: str | None = None
    flags: str | None = None
    modifier: str | None = None
    barrier: str | None = None
    maps: str | None = None
    types_last: bool = True
    """Whether the types follow the list, not each its variable as up to LLVM 19."""


def _clauses(arguments: Sequence[Element]) -> list[_Clause]:
    """Return the clauses that a directive is told of, in their order."""
    found: dict[str, _Clause] = {}

    def of(word: str) -> _Clause:
        return found.setdefault(word, _Clause(word))

    for name in names(arguments)[1:]:
        if name in _NAMED:
            of(_NAMED[name]).variables = name
        elif name == "private_needs_barrier":
            of("private").barrier = name
        elif name == "private_maps":
            of("private").maps = name
        elif name.endswith("_vars_byref"):  # LLVM 19
            of(name.removesuffix("_vars_byref")).flags = name
        elif name.endswith("_vars"):
            of(name.removesuffix("_vars")).variables = name
        elif name.endswith("_byref"):
            of(name.removesuffix("_byref")).flags = name
        elif name.endswith("_syms"):
            of(name.removesuffix("_syms")).symbols = name
        elif name.endswith("_mod"):
            of(name.removesuffix("_mod")).modifier = name
        else:  # `reductions` and `privatizers` of LLVM 19
            clause = of({"privatizers": "private"}.get(name, name.removesuffix("s")))
            clause.symbols, clause.types_last = name, False
    return list(found.values())


def read_region(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """`private(@p %x -> %arg : i32) reduction(byref @add %y -> %other : f32) {...}`."""
    named: list[tuple[Argument, Attribute]] = []
    for clause in _clauses(arguments):
        if parser.parse_optional_keyword(clause.word) is not None:
            named += _read_clause(parser, parts, clause)
    resolved = [Parser.Argument(name.name, type, location) for (name, location), type in named]
    if named and parser._current_token.text == "{":
        content, behind = parser.lexer.input.content, parser.pos + 1
        if _LABEL.match(content, behind):  # as up to LLVM 19, whose regions name their arguments
            parser.raise_error("invalid block name in region with named arguments", behind)
    parts.regions[names(arguments)[0]] = [parts.read_region(parser, resolved or None)]


def _read_clause(parser: Any, parts: Parts, clause: _Clause) -> list[tuple[Argument, Attribute]]:
    found: list[Argument] = []
    symbols: list[Attribute] = []
    flags: list[bool] = []
    maps: list[int] = []
    types: list[Attribute] = []

    def one() -> None:
        if clause.flags is not None:
            flags.append(parser.parse_optional_keyword("byref") is not None)
        if clause.symbols is not None:
            symbols.append(parser.parse_attribute())
        _operand(parser, parts, clause.variables)
        parser.parse_punctuation("->")
        found.append((parser.parse_argument(expect_type=False), parser.parse_optional_location()))
        if clause.maps is not None:
            maps.append(-1)
            if parser.parse_optional_punctuation("[") is not None:
                parser.parse_keyword("map_idx")
                parser.parse_punctuation("=")
                maps[-1] = parser.parse_integer()
                parser.parse_punctuation("]")
        if not clause.types_last:
            parser.parse_punctuation(":")
            types.append(parser.parse_type())

    parser.parse_punctuation("(")
    if clause.modifier is not None and parser.parse_optional_keyword("mod") is not None:
        parser.parse_punctuation(":")
        word: str = parser.parse_identifier()
        if (modifier := _case(parser, parts, clause.modifier, word)) is None:
            # MLIR fails here without a word.
            refuse(parser, parts.variant.name, f"invalid clause value: '{word}'")
        parts.properties[clause.modifier] = modifier
        parser.parse_punctuation(",")
    _listed(parser, one)
    if clause.types_last:
        parser.parse_punctuation(":")
        types = parse_types(parser)
    if len(types) != len(found):
        # MLIR fails here without a word.
        parser.raise_error(f"expected {len(found)} types, but got {len(types)}")
    parts.types[clause.variables] = types
    parser.parse_punctuation(")")
    if clause.barrier is not None and parser.parse_optional_keyword("private_barrier") is not None:
        parts.properties[clause.barrier] = UNIT
    if clause.symbols is not None:
        parts.properties[clause.symbols] = ArrayAttr(symbols)
    if clause.flags is not None:
        parts.properties[clause.flags] = _flags(flags)
    if clause.maps is not None:
        parts.properties[clause.maps] = i64_array(maps)
    return list(zip(found, types, strict=True))


def write_region(written: Written, arguments: Sequence[Element]) -> None:
    """Print the clauses that there are, and the region without the arguments that they name."""
    (region,) = written.regions[names(arguments)[0]]
    block = region.blocks.first
    at = 0
    for clause in _clauses(arguments):
        count = len(written.operands[clause.variables])
        if count and block is not None:
            _write_clause(written, clause, block.args[at : at + count])
        at += count
    written.printer.print_region(region, print_entry_block_args=at == 0)


def _write_clause(written: Written, clause: _Clause, arguments: Sequence[Any]) -> None:
    properties, printer = written.op.properties, written.printer
    values = written.operands[clause.variables]
    listed = None if clause.symbols is None else properties.get(clause.symbols)
    symbols = cast("ArrayAttr[Attribute]", listed).data if isinstance(listed, ArrayAttr) else ()
    flags = _set(written, clause.flags, len(values))
    maps = _set(written, clause.maps, 0) or [-1] * len(values)

    def one(at: int) -> None:
        printer.print_string("byref " if flags[at] else "")
        if symbols:
            printer.print_attribute(symbols[at])
            printer.print_string(" ")
        printer.print_ssa_value(values[at])
        printer.print_string(" -> ")
        printer.print_ssa_value(arguments[at])
        printer.print_string(f" [map_idx={maps[at]}]" if maps[at] != -1 else "")
        if not clause.types_last:
            printer.print_string(" : ")
            printer.print_attribute(values[at].type)

    printer.print_string(f"{clause.word}(")
    if clause.modifier is not None:
        _put_word(written, clause.modifier, front="mod: ", behind=", ")
    printer.print_list(range(len(values)), one)
    if clause.types_last:
        printer.print_string(" : ")
        printer.print_list([each.type for each in values], printer.print_attribute)
    printer.print_string(") ")
    if clause.barrier is not None and clause.barrier in properties:
        printer.print_string("private_barrier ")


# Loops


def read_control(parser: Any, parts: Parts, arguments: Sequence[Element]) -> None:
    """`(%i) : i32 = (%a) to (%b) inclusive step (%c) collapse(2) tiles(4, 4) {...}`, all of one type."""
    region, lower, upper, step, inclusive, *more = names(arguments)
    variables: list[Argument] = parser.parse_comma_separated_list(
        Parser.Delimiter.PAREN,
        lambda: (parser.parse_argument(expect_type=False), parser.parse_optional_location()),
    )
    parser.parse_punctuation(":")
    type = parser.parse_type()

    def bounds(name: str, word: str) -> None:
        if word == "=":
            parser.parse_punctuation(word)
        else:
            parser.parse_keyword(word)
        start = parser.pos
        with parser.in_parens():
            parts.names[name] = parse_operand_names(parser)
        if len(parts.names[name]) != len(variables):
            refuse(parser, parts.variant.name, f"expected {len(variables)} operands", start)
        parts.types[name] = [type] * len(variables)

    bounds(lower, "=")
    bounds(upper, "to")
    if parser.parse_optional_keyword("inclusive") is not None:
        parts.properties[inclusive] = UNIT
    bounds(step, "step")
    if more:
        _read_shape(parser, parts, *more)
    resolved = [Parser.Argument(name.name, type, location) for name, location in variables]
    parts.regions[region] = [parts.read_region(parser, resolved)]


def _read_shape(parser: Parser, parts: Parts, collapsed: str, tiles: str) -> None:
    """Read how many loops are one, and the sizes of tiles; since LLVM 21."""
    if parser.parse_optional_keyword("collapse") is not None:
        with parser.in_parens():
            count = parser.parse_integer()
        if count > 1:
            parts.properties[collapsed] = i64_attr(count)
    if parser.parse_optional_keyword("tiles") is not None:
        sizes = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_integer)
        parts.properties[tiles] = i64_array(sizes)


def write_control(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    region, lower, upper, step, inclusive, *more = names(arguments)
    properties, printer = written.op.properties, written.printer
    (body,) = written.regions[region]
    block = body.blocks.first
    with printer.in_parens():
        printer.print_list(() if block is None else block.args, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_list([each.type for each in written.operands[lower][:1]], printer.print_attribute)
    for word, name in (("=", lower), ("to", upper), ("step", step)):
        if name == step and inclusive in properties:
            printer.print_string(" inclusive")
        printer.print_string(f" {word} (")
        printer.print_list(written.operands[name], printer.print_ssa_value)
        printer.print_string(")")
    for word, name in zip(("collapse", "tiles"), more, strict=False):
        value = properties.get(name)
        if isinstance(value, IntegerAttr):
            printer.print_string(f" {word}({value.value.data})")
        elif isinstance(value, DenseArrayBase):
            listed = ", ".join(map(str, integers(cast(DenseArrayBase, value))))
            printer.print_string(f" {word}({listed})")
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


# Regions that need not be there


def read_atomic(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`atomic {...}`, or nothing."""
    _read_optional_region(parser, parts, arguments, "atomic")


def write_atomic(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    _write_optional_region(written, arguments, "atomic")


def read_cleanup(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """`cleanup {...}`, or nothing."""
    _read_optional_region(parser, parts, arguments, "cleanup")


def write_cleanup(written: Written, arguments: Sequence[Element]) -> None:
    """Print it."""
    _write_optional_region(written, arguments, "cleanup")


def has_region(written: Written, arguments: Sequence[Element]) -> bool:
    """Tell whether there is one."""
    return any(region.blocks for region in written.regions[names(arguments)[0]])


def _read_optional_region(parser: Parser, parts: Parts, arguments: Sequence[Element], word: str) -> None:
    found = parser.parse_optional_keyword(word) is not None
    parts.regions[names(arguments)[0]] = [parts.read_region(parser) if found else Region()]


def _write_optional_region(written: Written, arguments: Sequence[Element], word: str) -> None:
    written.printer.print_string(f"{word} ")
    written.printer.print_region(written.regions[names(arguments)[0]][0])
