"""Affine maps and sets with their operands, in the syntax of the affine dialect (AffineOps.cpp)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IntegerAttr,
    TensorType,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from gpuasync_lsp.syntax.affine import Operands, parse_expression, print_expressions
from gpuasync_lsp.syntax.dialects.assembly import INDEX, i64_attr, raise_error
from gpuasync_lsp.syntax.kinds import map_of, number_of
from gpuasync_lsp.syntax.ods.custom.parts import Written, names, words
from gpuasync_lsp.syntax.ods.formats import Element
from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.table import entry

Groups = tuple[list[UnresolvedOperand], list[UnresolvedOperand]]
"""The dimension operands and the symbol operands."""


def atomic_kinds() -> tuple[str, ...]:
    """Return the keywords of `arith::AtomicRMWKind`, indexed by number."""
    found = entry("memref.atomic_rmw")
    assert found is not None
    return found.variants[-1].attributes["kind"].cases


# Maps, and sets


def _read_groups(parser: Parser) -> Groups:
    """Parse `(%dimensions)[%symbols]`, both optional."""
    dimensions, symbols = (
        parser.parse_optional_comma_separated_list(delimiter, parser.parse_unresolved_operand) or []
        for delimiter in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE)
    )
    return dimensions, symbols


def _write_groups(printer: Printer, dimensions: int, operands: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        printer.print_list(operands[:dimensions], printer.print_ssa_value)
    if len(operands) > dimensions:
        with printer.in_square_brackets():
            printer.print_list(operands[dimensions:], printer.print_ssa_value)


def _check_counts(
    parser: Parser, op: str, kind: str, wanted: tuple[int, int], groups: Groups, start: int
) -> None:
    """Raise an error if the `kind` (map or set) expects a different number of dimensions or symbols."""
    for name, count, given in zip(("dim", "symbol"), wanted, groups, strict=True):
        if len(given) != count:
            raise_error(parser, op, f"{name} operand count and {kind} {name} count must match", start)


def read_map(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]`, or a set; the operand counts must match."""
    attribute, *operands = names(arguments)
    start = parser.pos
    found = parser.parse_attribute()
    if not isinstance(found, AffineSetAttr if words(arguments) else AffineMapAttr):
        raise_error(parser, parts.variant.name, "invalid kind of attribute specified", start)
    groups = _read_groups(parser)
    if isinstance(found, AffineSetAttr):
        counts = found.data.num_dims, found.data.num_symbols
        _check_counts(parser, parts.variant.name, "integer set", counts, groups, start)
    parts.properties[attribute] = found
    values = [*groups[0], *groups[1]]
    if operands:
        parts.names[operands[0]] = values
        parts.types[operands[0]] = [INDEX] * len(values)
    else:
        parts.all_operands = values
        parts.all_operand_types = list[Attribute]([INDEX]) * len(values)


def write_map(written: Written, arguments: Sequence[Element]) -> None:
    """Print an affine map or set and its operands."""
    found = cast(AffineMapAttr, written.op.properties[names(arguments)[0]])
    written.printer.print_attribute(found)
    _write_groups(written.printer, found.data.num_dims, written.op.operands)


# Indices


def read_subscripts(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the indices of an access: `[%i + 3, symbol(%n)]`."""
    attribute, values = names(arguments)
    operands = Operands()
    results = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parse_expression(parser, operands)
    )
    parts.properties[attribute], parts.names[values] = operands.map(results), operands.names
    parts.types[values] = [INDEX] * len(operands.names)


def write_subscripts(written: Written, arguments: Sequence[Element]) -> None:
    """Print the indices of an access."""
    attribute, values = names(arguments)
    data = map_of(written.op.properties[attribute])
    with written.printer.in_square_brackets():
        print_expressions(written.printer, data.results, data.num_dims, written.operands[values])


# The bounds of affine.for


def read_bound(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse a loop bound: `10`, `%n` or `max affine_map<...>(%i)[%n]`."""
    attribute, values = names(arguments)
    (keyword,) = words(arguments)
    bound, operands = _bound(parser, parts.variant.name, keyword)
    parts.properties[attribute], parts.names[values] = bound, operands
    parts.types[values] = [INDEX] * len(operands)


def _bound(parser: Parser, op: str, keyword: str) -> tuple[AffineMapAttr, list[UnresolvedOperand]]:
    has_keyword = parser.parse_optional_keyword(keyword) is not None
    operand = parser.parse_optional_unresolved_operand()
    if operand is not None:
        return AffineMapAttr(AffineMap(0, 1, (AffineExpr.symbol(0),))), [operand]
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return AffineMapAttr(AffineMap.constant_map(number)), []
    start = parser.pos
    bound = parser.parse_attribute()
    if not isinstance(bound, AffineMapAttr):
        raise_error(parser, op, "invalid kind of attribute specified", start)
    groups = _read_groups(parser)
    _check_counts(parser, op, "affine map", (bound.data.num_dims, bound.data.num_symbols), groups, start)
    if len(bound.data.results) > 1 and not has_keyword:
        side = "lower" if keyword == "max" else "upper"
        message = f"{side} loop bound affine map with multiple results requires '{keyword}' prefix"
        raise_error(parser, op, message, start)
    return bound, [*groups[0], *groups[1]]


def write_bound(written: Written, arguments: Sequence[Element]) -> None:
    """Print a bound; a constant or a single value is printed without its map."""
    attribute, values = names(arguments)
    bound, operands = cast(AffineMapAttr, written.op.properties[attribute]), written.operands[values]
    last = bound.data.results[-1] if bound.data.results else None
    if len(bound.data.results) != 1:
        written.printer.print_string(f"{words(arguments)[0]} ")
    elif isinstance(last, AffineConstantExpr) and not operands:
        written.printer.print_string(str(last.value))
        return
    elif isinstance(last, AffineSymExpr) and len(operands) == 1:
        written.printer.print_ssa_value(operands[0])
        return
    written.printer.print_attribute(bound)
    _write_groups(written.printer, bound.data.num_dims, operands)


def read_step(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `step 2`; the default is 1."""
    (name,) = names(arguments)
    step = 1
    if parser.parse_optional_keyword("step") is not None:
        start = parser.pos
        step = parser.parse_integer(allow_boolean=False)
        if step < 0:
            message = "expected step to be representable as a positive signed integer"
            raise_error(parser, parts.variant.name, message, start)
    parts.properties[name] = IntegerAttr(step, INDEX)


def write_step(written: Written, arguments: Sequence[Element]) -> None:
    """Print the step of a loop."""
    step = cast(IntegerAttr, written.op.properties[names(arguments)[0]])
    written.printer.print_string(f"step {step.value.data}")


def has_step(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the step of a loop is printed: it is not 1."""
    return number_of(written.op.properties[names(arguments)[0]]) != 1


# The bounds of affine.parallel


def read_parallel_bounds(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `(0, max(%n, 4))` into one map of all bounds, and the number of its results per loop variable."""
    attribute, sizes, values = names(arguments)
    operands = Operands()

    def group() -> list[AffineExpr]:
        if parser.parse_optional_keyword(words(arguments)[0]) is None:
            return [parse_expression(parser, operands)]
        return parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_expression(parser, operands)
        )

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, group)
    parts.properties[attribute] = operands.map([each for found in groups for each in found])
    parts.properties[sizes] = DenseIntElementsAttr.from_list(
        TensorType(i32, [len(groups)]), [len(each) for each in groups]
    )
    parts.names[values] = [*parts.names.get(values, ()), *operands.names]
    parts.types[values] = [INDEX] * len(parts.names[values])


def write_parallel_bounds(written: Written, arguments: Sequence[Element]) -> None:
    """Print the lower or upper bounds of an affine.parallel.

    In the op's operand list, the operands of the upper bounds follow those of the lower bounds."""
    attribute, sizes, values = names(arguments)
    (keyword,) = words(arguments)
    data = map_of(written.op.properties[attribute])
    count, operands = data.num_dims + data.num_symbols, written.operands[values]
    operands = operands[:count] if keyword == "max" else operands[len(operands) - count :]
    results = iter(data.results)
    groups = cast(DenseIntElementsAttr, written.op.properties[sizes])
    with written.printer.in_parens():
        for position, size in enumerate(groups.get_values()):
            written.printer.print_string(", " if position else "")
            written.printer.print_string(f"{keyword}(" if size > 1 else "")
            group = [next(results) for _ in range(size)]
            print_expressions(written.printer, group, data.num_dims, operands)
            written.printer.print_string(")" if size > 1 else "")


def read_steps(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse `step (1, 2)`; the default is 1 for each loop."""
    steps = [1] * len(parts.arguments or ())
    if parser.parse_optional_keyword("step") is not None:
        steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
    parts.properties[names(arguments)[0]] = ArrayAttr([i64_attr(step) for step in steps])


def write_steps(written: Written, arguments: Sequence[Element]) -> None:
    """Print the steps of an affine.parallel."""
    written.printer.print_string(f"step ({', '.join(map(str, _numbers(written, arguments)))})")


def has_steps(written: Written, arguments: Sequence[Element]) -> bool:
    """Return whether the steps of an affine.parallel are printed: they are not all 1."""
    return any(step != 1 for step in _numbers(written, arguments))


def _numbers(written: Written, arguments: Sequence[Element]) -> list[int]:
    listed = cast("ArrayAttr[IntegerAttr]", written.op.properties[names(arguments)[0]])
    return [each.value.data for each in listed]


def read_reductions(parser: Parser, parts: Parts, arguments: Sequence[Element]) -> None:
    """Parse the reductions of an affine.parallel, `reduce ("addf")`, or nothing."""
    found: list[str] = []
    if parser.parse_optional_keyword("reduce") is not None:
        found = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_str_literal)
    for word in found:
        if word not in atomic_kinds():
            raise_error(parser, parts.variant.name, f'invalid reduction value: "{word}"')
    numbers = [i64_attr(atomic_kinds().index(word)) for word in found]
    parts.properties[names(arguments)[0]] = ArrayAttr(numbers)


def write_reductions(written: Written, arguments: Sequence[Element]) -> None:
    """Print the reductions of an affine.parallel."""
    shown = ", ".join(f'"{atomic_kinds()[number]}"' for number in _numbers(written, arguments))
    written.printer.print_string(f"reduce ({shown})")


def has_results(written: Written, _arguments: Sequence[Element]) -> bool:
    """Return whether an affine.parallel has results, and therefore prints reductions."""
    return bool(written.op.results)
