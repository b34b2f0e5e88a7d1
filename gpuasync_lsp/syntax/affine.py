"""Affine expressions, maps and sets in MLIR's syntax, and expressions over values: `%i + symbol(%n)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.parser import AffineParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind

from gpuasync_lsp.syntax.affine_folds import fold, has_no_dimension
from gpuasync_lsp.syntax.xdsl_speed import consume_token, current_token

Name = Callable[[AffineExpr], str]
"""Returns the name with which a dimension or symbol is printed."""

_OPERATORS: dict[str, tuple[int, AffineBinaryOpKind]] = {
    "+": (0, AffineBinaryOpKind.Add),
    "-": (0, AffineBinaryOpKind.Add),
    "*": (1, AffineBinaryOpKind.Mul),
    "floordiv": (1, AffineBinaryOpKind.FloorDiv),
    "ceildiv": (1, AffineBinaryOpKind.CeilDiv),
    "mod": (1, AffineBinaryOpKind.Mod),
}
"""Maps each operator to its precedence and kind."""


# Printing


def map_text(attribute: AffineMapAttr) -> str:
    """Return the text of a map: `(d0)[s0] -> (d0 + s0)`."""
    affine_map = attribute.data
    results = ", ".join(map(expression_text, affine_map.results))
    return f"{_space(affine_map.num_dims, affine_map.num_symbols)} -> ({results})"


def set_text(attribute: AffineSetAttr) -> str:
    """Return the text of a set: `(d0)[s0] : (d0 - s0 >= 0)`."""
    affine_set = attribute.data
    constraints = ", ".join(
        f"{expression_text(each.lhs)} {each.kind.value} {expression_text(each.rhs)}"
        for each in affine_set.constraints
    )
    return f"{_space(affine_set.num_dims, affine_set.num_symbols)} : ({constraints})"


def _space(dimensions: int, symbols: int) -> str:
    text = "(" + ", ".join(f"d{index}" for index in range(dimensions)) + ")"
    return text + ("[" + ", ".join(f"s{index}" for index in range(symbols)) + "]" if symbols else "")


def expression_text(expression: AffineExpr, name: Name = str, tight: bool = False) -> str:
    """Return the text of `expression` with MLIR's parentheses; `tight` adds parentheses around a nested
    operation."""
    if isinstance(expression, AffineConstantExpr):
        return str(expression.value)
    if not isinstance(expression, AffineBinaryOpExpr):
        return name(expression)
    text = _sum(expression, name) if expression.kind is AffineBinaryOpKind.Add else _product(expression, name)
    return f"({text})" if tight else text


def _product(expression: AffineBinaryOpExpr, name: Name) -> str:
    left = expression_text(expression.lhs, name, tight=True)
    if expression.kind is AffineBinaryOpKind.Mul and expression.rhs == _MINUS_ONE:
        return f"-{left}"
    return f"{left} {expression.kind.get_token()} {expression_text(expression.rhs, name, tight=True)}"


def _sum(expression: AffineBinaryOpExpr, name: Name) -> str:
    left, right = expression_text(expression.lhs, name), expression.rhs
    if isinstance(right, AffineConstantExpr) and right.value < 0:
        return f"{left} - {-right.value}"
    if isinstance(right, AffineBinaryOpExpr) and right.kind is AffineBinaryOpKind.Mul:
        factor = right.rhs.value if isinstance(right.rhs, AffineConstantExpr) else 0
        if factor == -1:
            is_sum = isinstance(right.lhs, AffineBinaryOpExpr) and right.lhs.kind is AffineBinaryOpKind.Add
            return f"{left} - {expression_text(right.lhs, name, tight=is_sum)}"
        if factor < -1:
            return f"{left} - {expression_text(right.lhs, name, tight=True)} * {-factor}"
    return f"{left} + {expression_text(right, name)}"


_MINUS_ONE = AffineExpr.constant(-1)


_TOO_LARGE = 2**63
"""The least value that does not fit into a constant of an affine expression, which is an i64."""


# Maps and sets


class SpaceParser(AffineParser):
    """xDSL's parser of maps and sets, extended to products and quotients of two non-constant expressions."""

    def _parse_affine_space(self) -> tuple[list[str], list[str]]:
        start = self.pos
        dimensions, symbols = super()._parse_affine_space()
        if len({*dimensions, *symbols}) < len(dimensions) + len(symbols):
            known = set[str]()
            for name in (*dimensions, *symbols):
                if name in known:
                    self.raise_error(f"redefinition of identifier '{name}'", start, self.pos)
                known.add(name)
        return dimensions, symbols

    def _create_binop_expr(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        _, kind = _OPERATORS[binop.text]
        if (wrong := _not_affine(binop.text, lhs, rhs)) is not None:
            self.raise_error(wrong, binop.span.start, binop.span.end)
        return fold(kind, lhs, _negated(rhs) if binop.text == "-" else rhs)

    def _parse_primary(self, parse_optional_bare_id: Callable[[], AffineExpr | None]) -> AffineExpr:
        if self._parse_optional_token(MLIRTokenKind.MINUS) is not None:
            return _negated(self._parse_primary(parse_optional_bare_id))
        token = self._current_token
        if token.kind is MLIRTokenKind.INTEGER_LIT and token.kind.get_int_value(token.span) >= _TOO_LARGE:
            self.raise_error("constant too large for index", token.span.start, token.span.end)
        return super()._parse_primary(parse_optional_bare_id)


# Expressions over values


class Operands:
    """The distinct values used in affine expressions: dimensions, and symbols spelled `symbol(...)`."""

    def __init__(self) -> None:
        self.dimensions: list[UnresolvedOperand] = []
        self.symbols: list[UnresolvedOperand] = []
        self._known: dict[tuple[str, int], AffineExpr] = {}

    def expression(self, operand: UnresolvedOperand, is_symbol: bool) -> AffineExpr:
        """Return the dimension or symbol expression for `operand`, and add the operand if it is new."""
        key = (operand.operand_name, operand.index)
        found = self._known.get(key)
        if found is None:
            values = self.symbols if is_symbol else self.dimensions
            found = AffineExpr.symbol(len(values)) if is_symbol else AffineExpr.dimension(len(values))
            self._known[key] = found
            values.append(operand)
        return found

    @property
    def names(self) -> list[UnresolvedOperand]:
        """The values in the order of an op's operands: dimensions, then symbols."""
        return [*self.dimensions, *self.symbols]

    def map(self, results: Sequence[AffineExpr]) -> AffineMapAttr:
        """Return the affine map of all values with these `results`."""
        return AffineMapAttr(AffineMap(len(self.dimensions), len(self.symbols), tuple(results)))


def parse_expression(parser: Parser, operands: Operands, binding: int = 0) -> AffineExpr:
    """Parse an affine expression over SSA values, `%i * 4 + symbol(%n)`; add the values to `operands`.

    Raises a ParseError if there is no expression.
    """
    left = _parse_primary(parser, operands)
    while True:
        text = current_token(parser).text
        strength, kind = _OPERATORS.get(text, (-1, AffineBinaryOpKind.Add))
        if strength < binding:
            return left
        start = parser.pos
        consume_token(parser)
        right = parse_expression(parser, operands, strength + 1)
        if (wrong := _not_affine(text, left, right)) is not None:
            parser.raise_error(wrong, start, start + len(text))
        left = fold(kind, left, _negated(right) if text == "-" else right)


def _parse_primary(parser: Parser, operands: Operands) -> AffineExpr:
    if parser.parse_optional_punctuation("(") is not None:
        inner = parse_expression(parser, operands)
        parser.parse_punctuation(")")
        return inner
    if parser.parse_optional_keyword("symbol") is not None:
        with parser.in_parens():
            return operands.expression(parser.parse_unresolved_operand(), is_symbol=True)
    name = parser.parse_optional_unresolved_operand()
    if name is not None:
        return operands.expression(name, is_symbol=False)
    is_number = current_token(parser).kind is MLIRTokenKind.INTEGER_LIT
    if not is_number and parser.parse_optional_punctuation("-") is not None:
        return _negated(_parse_primary(parser, operands))
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if number is None:
        parser.raise_error("expected affine expression")
    if number >= _TOO_LARGE:
        parser.raise_error("constant too large for index")
    return AffineExpr.constant(number)


def _not_affine(operator: str, left: AffineExpr, right: AffineExpr) -> str | None:
    """Return MLIR's error for a product or quotient that is not affine, else None."""
    if operator in "+-" or has_no_dimension(right) or (operator == "*" and has_no_dimension(left)):
        return None
    if operator == "*":
        words = "at least one of the multiply operands has to be either a constant or symbolic"
    else:
        words = f"right operand of {operator} has to be either a constant or symbolic"
    return f"non-affine expression: {words}"


def _negated(expression: AffineExpr) -> AffineExpr:
    return fold(AffineBinaryOpKind.Mul, expression, _MINUS_ONE)


def print_expressions(
    printer: Printer, expressions: Sequence[AffineExpr], dimensions: int, operands: Sequence[SSAValue]
) -> None:
    """Print affine expressions over SSA values: `%i + 3, symbol(%n)`.

    The first `dimensions` operands are dimensions, the others symbols."""

    def name(expression: AffineExpr) -> str:
        if isinstance(expression, AffineSymExpr):
            return f"symbol(%{dimensions + expression.position})"
        assert isinstance(expression, AffineDimExpr)
        return f"%{expression.position}"

    text = ", ".join(expression_text(each, name) for each in expressions)
    for index, part in enumerate(re.split(r"%(\d+)", text)):
        if index % 2:
            printer.print_ssa_value(operands[int(part)])
        else:
            printer.print_string(part)
