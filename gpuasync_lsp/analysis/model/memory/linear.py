"""Integers as linear expressions of SSA values, so that offsets can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.memory.numbers import INTEGERS, computed

Number = TypeVar("Number")

_DEPTH = 24
"""The maximum depth of ops that is followed; a deeper value is a symbol."""
_TERMS = 8


class Linear(NamedTuple):
    """A constant plus multiples of SSA values, each value once, in a fixed order."""

    constant: int = 0
    terms: tuple[tuple[SSAValue, int], ...] = ()

    def plus(self, other: Linear) -> Linear:
        """Return the sum of both expressions."""
        if not other.terms:
            return Linear(self.constant + other.constant, self.terms)
        factors = dict(self.terms)
        for value, factor in other.terms:
            factors[value] = factors.get(value, 0) + factor
        terms = sorted(((v, f) for v, f in factors.items() if f), key=lambda term: id(term[0]))
        return Linear(self.constant + other.constant, tuple(terms))

    def times(self, factor: int) -> Linear:
        """Return this expression multiplied by `factor`."""
        if not factor:
            return ZERO
        return Linear(self.constant * factor, tuple((value, f * factor) for value, f in self.terms))

    def minus(self, other: Linear) -> Linear:
        """Return this expression minus `other`."""
        return self.plus(other.times(-1))

    def replaced(self, value: SSAValue, replacement: Linear) -> Linear:
        """Return this expression with `replacement` substituted for `value`."""
        for known, factor in self.terms:
            if known is value:
                return self.minus(Linear(0, ((value, factor),))).plus(replacement.times(factor))
        return self


ZERO = Linear()


def of_value(value: SSAValue) -> Linear:
    """Return the expression that consists of `value` only."""
    return Linear(0, ((value, 1),))


class Integers:
    """Converts the values of one function to linear expressions, and memoizes them."""

    def __init__(
        self, describe: Callable[[Operation, SSAValue], Linear | None] = lambda op, value: None
    ) -> None:
        self.known: dict[SSAValue, Linear] = {}
        self.describe = describe
        """A function that returns the offset, size or stride that an op extracts from a memref, if known."""

    def read(self, value: SSAValue, depth: int = 0) -> Linear:
        """Return `value` as a linear expression."""
        found = self.known.get(value)
        if found is None:
            found = self._find(value, depth) if depth < _DEPTH else of_value(value)
            if len(found.terms) > _TERMS:
                found = of_value(value)
            self.known[value] = found
        return found

    def _find(self, value: SSAValue, depth: int) -> Linear:
        number = constant(value)
        if number is not None:
            return Linear(number)
        op = value.owner
        if not isinstance(op, Operation):
            return of_value(value)
        if op.name in ("arith.addi", "arith.subi", "index.add", "index.sub"):
            a, b = (self.read(operand, depth + 1) for operand in op.operands)
            return a.plus(b) if op.name.endswith(("addi", ".add")) else a.minus(b)
        if op.name in ("arith.muli", "index.mul"):
            a, b = (self.read(operand, depth + 1) for operand in op.operands)
            if (product := _product(a, b)) is not None:
                return product
        if op.name in ("arith.shli", "index.shl"):
            a, b = (self.read(operand, depth + 1) for operand in op.operands)
            if not b.terms and 0 <= b.constant < 32:
                return a.times(1 << b.constant)
        if (name := INTEGERS.get(op.name)) is not None and op.results[0].type == IndexType():
            a, b = (self.read(operand, depth + 1) for operand in op.operands)
            known = computed(name, [a.constant, b.constant], 64) if not a.terms and not b.terms else None
            if isinstance(known, int):
                return Linear(known)
        if op.name in ("memref.dim", "memref.extract_strided_metadata"):
            return self.describe(op, value) or of_value(value)
        if op.name in ("arith.index_cast", "index.casts"):
            return self.read(op.operands[0], depth + 1)
        if op.name == "affine.apply":
            kept = op.properties.get("map")
            if isinstance(kept, AffineMapAttr):
                found = self.mapped(kept, op, 0, depth + 1)
                if found is not None and len(found) == 1:
                    return found[0]
        return of_value(value)

    def mapped(self, kept: AffineMapAttr, op: Operation, first: int, depth: int = 0) -> list[Linear] | None:
        """Return the results of an affine map whose operands begin at operand `first` of `op`.

        Returns None if one of the results is not linear."""
        given = [self.read(v, depth) for v in list(op.operands)[first:]]
        results = [_LINEAR.evaluate(e, given, kept.data.num_dims) for e in kept.data.results]
        return cast("list[Linear]", results) if all(r is not None for r in results) else None


def _product(one: Linear, other: Linear) -> Linear | None:
    """Return the product of two expressions; None if neither is constant."""
    if one.terms and other.terms:
        return None
    return other.times(one.constant) if not one.terms else one.times(other.constant)


class Arithmetic(NamedTuple, Generic[Number]):
    """Operations on one representation of integers; None is an unknown result."""

    of: Callable[[int], Number]
    plus: Callable[[Number, Number], Number]
    times: Callable[[Number, Number], Number | None]

    def evaluate(self, expression: AffineExpr, given: Sequence[Number | None], dims: int) -> Number | None:
        """Return the value of an affine expression; the first `dims` of `given` are its dimensions."""
        match expression:
            case AffineConstantExpr():
                return self.of(expression.value)
            case AffineDimExpr() | AffineSymExpr():
                at = expression.position + (dims if isinstance(expression, AffineSymExpr) else 0)
                return given[at] if at < len(given) else None
            case AffineBinaryOpExpr():
                one = self.evaluate(expression.lhs, given, dims)
                other = self.evaluate(expression.rhs, given, dims)
                if one is None or other is None:
                    return None
                if expression.kind is AffineBinaryOpKind.Add:
                    return self.plus(one, other)
                return self.times(one, other) if expression.kind is AffineBinaryOpKind.Mul else None
            case _:
                return None


_LINEAR = Arithmetic(Linear, Linear.plus, _product)
