"""Loops and conditions: `(%i) = (%lb) to (%ub) init (%a = %x) -> (f32) {...}`, in the syntax of scf and
affine.

Source: the parsers and printers in SCF.cpp, AffineOps.cpp and MemRefOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand

from gpuasync_lsp.syntax.dialects.assembly import (
    INDEX,
    i64_array,
    integers,
    parse_mixed_list,
    parse_operand_names,
    parse_types,
    print_mixed_list,
    print_result_list,
    print_values_with_types,
    raise_error,
    static_of,
)
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, type_of, types_of, words
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Argument, Parts
from gpuasync_lsp.syntax.xdsl_speed import resume_from

_MISMATCH = "mismatch in number of loop-carried values and defined values"


# Arguments of the body, and the body


def _read_argument(parser: Parser) -> Argument:
    return parser.parse_argument(expect_type=False), parser.parse_optional_location()


def read_variable(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the loop variable `%i`."""
    parts.arguments = [_read_argument(parser)]


def read_variables(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the loop variables `(%i, %j)`."""
    parts.arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: _read_argument(parser)
    )


def _split(written: Written, region: str, inits: Sequence[str]) -> tuple[Sequence[SSAValue], ...]:
    """Split the body's arguments into the loop variables and the loop-carried ones."""
    block = written.regions[region][0].blocks.first
    found: Sequence[BlockArgument] = () if block is None else block.args
    carried = sum(len(written.operands[each]) for each in inits)
    return found[: len(found) - carried], found[len(found) - carried :]


def write_variable(written: Written, arguments: Sequence[Element]) -> None:
    """Print the loop variables, which are the first arguments of the region, before the loop-carried ones."""
    region, *inits = names(arguments)
    written.printer.print_list(_split(written, region, inits)[0], written.printer.print_ssa_value)


def write_variables(written: Written, arguments: Sequence[Element]) -> None:
    """Print the loop variables in parentheses."""
    with written.printer.in_parens():
        write_variable(written, arguments)


def read_body(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `{...}`, a region whose arguments are named in the text before it."""
    (region_name,) = names(arguments)
    resolved: list[Parser.Argument] | None = None
    if parts.arguments is not None:
        variables = [parts.variable_type] * (len(parts.arguments) - len(parts.carried))
        pairs = zip(parts.arguments, [*variables, *parts.carried], strict=True)
        resolved = [Parser.Argument(name.name, type, location) for (name, location), type in pairs]
        parts.arguments, parts.carried = None, []
    region = parts.read_region(parser, resolved)
    if not region.blocks:
        region.add_block(Block())
    parts.regions[region_name] = [region]


def write_body(written: Written, arguments: Sequence[Element]) -> None:
    """Print the region without its arguments; the terminator is omitted if the op has no results."""
    (region,) = written.regions[names(arguments)[0]]
    if "whole" in words(arguments):
        written.printer.print_region(region, print_entry_block_args=False)
        return
    written.printer.print_region(
        region,
        print_entry_block_args=False,
        print_empty_block=False,
        print_block_terminators=bool(written.op.results),
    )


# Loop-carried values


def _read_assignments(parser: Parser, parts: Parts) -> list[UnresolvedOperand]:
    """Parse loop-carried arguments and their initial values: `(%a = %x, ...)`."""

    def one() -> tuple[Argument, UnresolvedOperand]:
        argument = _read_argument(parser)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)
    parts.arguments = [*(parts.arguments or ()), *(argument for argument, _ in pairs)]
    return [value for _, value in pairs]


def _write_assignments(written: Written, region: str, inits: str) -> None:
    pairs = zip(_split(written, region, [inits])[1], written.operands[inits], strict=True)

    def one(pair: tuple[SSAValue, SSAValue]) -> None:
        written.printer.print_ssa_value(pair[0])
        written.printer.print_string(" = ")
        written.printer.print_ssa_value(pair[1])

    with written.printer.in_parens():
        written.printer.print_list(pairs, one)


def read_assignments(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `iter_args(%a = %x) -> (f32)`, or nothing."""
    _, inits = names(arguments)
    values: list[UnresolvedOperand] = []
    types: list[Attribute] = []
    if parser.parse_optional_keyword(words(arguments)[0]) is not None:
        values = _read_assignments(parser, parts)
        position = parser.pos
        types = _read_types(parser)
        if len(types) != len(values):
            raise_error(parser, parts.variant.name, _MISMATCH, position)
    parts.names[inits] = values
    parts.types[inits] = parts.carried = types
    parts.put_types(parser, type_of(arguments), types)


def write_assignments(written: Written, arguments: Sequence[Element]) -> None:
    """Print the loop-carried arguments with their initial values and types."""
    region, inits = names(arguments)
    written.printer.print_string(words(arguments)[0])
    _write_assignments(written, region, inits)
    written.printer.print_string(" -> ")
    with written.printer.in_parens():
        written.printer.print_list(
            [value.type for value in written.operands[inits]], written.printer.print_attribute
        )


def has_assignments(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the loop has loop-carried values."""
    return bool(written.operands[names(arguments)[1]])


def read_while(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the initial values and types of a while loop: `(%a = %x) : (i32) -> f32`."""
    _, inits = names(arguments)
    values: list[UnresolvedOperand] = []
    parts.arguments = []
    if parser.parse_optional_punctuation("(") is not None:
        resume_from(parser, parser.pos - 1)
        values = _read_assignments(parser, parts)
    parser.parse_punctuation(":")
    position = parser.pos
    type = parser.parse_function_type()
    inputs = list(type.inputs.data)
    if len(inputs) != len(values):
        counts = f"expected {len(values)} got {len(inputs)}"
        raise_error(
            parser, parts.variant.name, f"expected as many input types as operands ({counts})", position
        )
    parts.names[inits] = values
    parts.types[inits] = parts.carried = inputs
    parts.put_types(parser, type_of(arguments), list(type.outputs.data))


def write_while(written: Written, arguments: Sequence[Element]) -> None:
    """Print the initial values and types of a while loop."""
    region, inits = names(arguments)
    if written.operands[inits]:
        _write_assignments(written, region, inits)
        written.printer.print_string(" ")
    written.printer.print_string(": ")
    written.printer.print_function_type(written.op.operand_types, written.op.result_types)


# Reductions


def read_reduced(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse reduced values: `(%a, %b : f32, i32)`, or nothing; through LLVM 17 `(%a) : f32`."""
    (name,) = names(arguments)
    if parser.parse_optional_punctuation("(") is None:
        return
    parts.names[name] = parse_operand_names(parser)
    is_old = parser.parse_optional_punctuation(")") is not None
    parser.parse_punctuation(":")
    parts.types[name] = parse_types(parser)
    if not is_old:
        parser.parse_punctuation(")")


def write_reduced(written: Written, arguments: Sequence[Element]) -> None:
    """Print the reduced values. An op without a terminator is printed in LLVM 17's syntax."""
    values = written.operands[names(arguments)[0]]
    if written.op.next_op is not None:
        write_bounds(written, arguments)
        written.printer.print_string(" : ")
        written.printer.print_attribute(values[0].type)
        return
    with written.printer.in_parens():
        print_values_with_types(written.printer, values)


def has_reduced(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the op reduces any values."""
    return bool(written.operands[names(arguments)[0]])


# Types


def _read_types(parser: Parser) -> list[Attribute]:
    if parser.parse_optional_punctuation("->") is None:
        return []
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list[Attribute](types)


def read_result_types(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `-> f32` or `-> (f32, i32)`, or nothing."""
    parts.put_types(parser, type_of(arguments), _read_types(parser))


def write_result_types(written: Written, arguments: Sequence[Element]) -> None:
    """Print the result types; a single one has no parentheses unless the directive requires them."""
    types = types_of(written, arguments)
    written.printer.print_string("-> ")
    if words(arguments):
        with written.printer.in_parens():
            written.printer.print_list(types, written.printer.print_attribute)
    else:
        print_result_list(written.printer, types)


def has_result_types(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the op has results, whose types are then printed."""
    return bool(types_of(written, arguments))


def read_variable_type(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the loop variable's type `: i32`; the default is `index`."""
    if parser.parse_optional_punctuation(":") is not None:
        parts.variable_type = parser.parse_type()
    parts.put_types(parser, type_of(arguments), [parts.variable_type])


def write_variable_type(written: Written, arguments: Sequence[Element]) -> None:
    """Print the type of the variable, preceded by two spaces as in MLIR."""
    written.printer.print_string(" : ")
    written.printer.print_attribute(types_of(written, arguments)[0])


def has_variable_type(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the type of the loop variable is printed: it is not `index`."""
    return types_of(written, arguments) != [INDEX]


# Bounds


def read_bounds(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the loop bounds `(%a, %b)`, one per variable."""
    (name,) = names(arguments)
    start, count = parser.pos, len(parts.arguments or ())
    with parser.in_parens():
        parts.names[name] = parse_operand_names(parser)
    if len(parts.names[name]) != count:
        raise_error(parser, parts.variant.name, f"expected {count} operands", start)


def write_bounds(written: Written, arguments: Sequence[Element]) -> None:
    """Print the bounds of a loop in parentheses."""
    with written.printer.in_parens():
        written.printer.print_list(written.operands[names(arguments)[0]], written.printer.print_ssa_value)


def read_inits(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `init (%a, %b) -> (f32, i32)`, or nothing."""
    (name,) = names(arguments)
    values: list[UnresolvedOperand] = []
    if parser.parse_optional_keyword("init") is not None:
        with parser.in_parens():
            values = parse_operand_names(parser)
    types = _read_types(parser)
    if len(values) != len(types):
        counts = f"got {len(values)} operands and {len(types)} types"
        raise_error(parser, parts.variant.name, f"number of operands and types do not match: {counts}")
    parts.names[name], parts.types[name] = values, types
    parts.put_types(parser, type_of(arguments), types)


def write_inits(written: Written, arguments: Sequence[Element]) -> None:
    """Print the initial values of a loop and their types."""
    if written.operands[names(arguments)[0]]:
        written.printer.print_string("init ")
        write_bounds(written, arguments)
        written.printer.print_string(" " if written.op.results else "")
    if written.op.results:
        write_result_types(written, arguments)


def has_inits(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the loop has initial values."""
    return bool(written.operands[names(arguments)[0]]) or bool(written.op.results)


def read_forall_bounds(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the bounds of a forall: `in (%n, 4)`, or `= (0, 0) to (%n, 4) step (1, %s)`."""
    dynamic, static = names(arguments)[:3], names(arguments)[3:]
    count = len(parts.arguments or ())

    def one(at: int, word: str) -> None:
        if word:
            parser.parse_keyword(word)
        entries = parse_mixed_list(parser, parser.Delimiter.PAREN)
        parts.names[dynamic[at]] = [each for each in entries if not isinstance(each, int)]
        parts.properties[static[at]] = static_of(entries)

    if parser.parse_optional_keyword("in") is not None:
        parts.properties[static[0]] = i64_array([0] * count)
        one(1, "")
        parts.properties[static[2]] = i64_array([1] * count)
    else:
        parser.parse_punctuation("=")
        for at, word in enumerate(("", "to", "step")):
            one(at, word)


def write_forall_bounds(written: Written, arguments: Sequence[Element]) -> None:
    """Print the bounds of an scf.forall; in short form if all lower bounds are 0 and all steps are 1."""
    dynamic, static = names(arguments)[:3], names(arguments)[3:]
    bounds = [cast(DenseArrayBase, written.op.properties[each]) for each in static]
    is_normal = set(integers(bounds[0])) <= {0} and set(integers(bounds[2])) <= {1}
    for at, word in ((1, "in "),) if is_normal else ((0, "= "), (1, " to "), (2, " step ")):
        written.printer.print_string(word)
        print_mixed_list(written.printer, written.operands[dynamic[at]], bounds[at], ("(", ")"))


# Cases


def read_cases(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the cases of an scf.index_switch: `case 2 {...} case 5 {...}`."""
    values, region = names(arguments)
    cases: list[int] = []
    regions: list[Region] = []
    while parser.parse_optional_keyword("case") is not None:
        cases.append(parser.parse_integer())
        regions.append(parts.read_region(parser))
    parts.properties[values], parts.regions[region] = i64_array(cases), regions
    parts.unended.add(region)


def write_cases(written: Written, arguments: Sequence[Element]) -> None:
    """Print the cases of an scf.index_switch, each on a separate line."""
    values, regions = names(arguments)
    numbers = integers(written.op.properties[values])
    for number, region in zip(numbers, written.regions[regions], strict=True):
        written.printer.print_string(f"\ncase {number} ")
        written.printer.print_region(region, False, False)
