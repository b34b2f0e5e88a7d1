"""Integers inside a kernel, as sums of launch parameters and of thread and loop counters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.ir import SSAValue

_TERMS = 12
_FACTORS = 3


class Symbol(NamedTuple):
    """A number that is fixed per launch: an argument, or a size of the grid or block."""

    kind: str
    """`argument`, `block` (threads per block), `grid` (number of blocks), or `unknown` (`UNKNOWN`)."""
    number: int
    """The index of the argument, or 0 to 2 for x, y and z."""

    @property
    def is_count(self) -> bool:
        """Whether the symbol's value is never negative."""
        return self.kind != "argument"


UNKNOWN = Symbol("unknown", 0)
"""An unknown non-negative number, such as the iteration count of a loop in a CFG."""

Factor = Symbol | SSAValue
"""A symbol, or an SSA value from outside the body of a gpu.launch."""
Product = tuple[Factor, ...]


class Polynomial(NamedTuple):
    """A sum of products of factors; each product occurs once, with its coefficient."""

    terms: tuple[tuple[Product, int], ...] = ()

    def plus(self, other: Polynomial) -> Polynomial:
        """Return the sum of this polynomial and `other`."""
        found = dict(self.terms)
        for product, times in other.terms:
            found[product] = found.get(product, 0) + times
        return Polynomial(tuple(sorted(((p, n) for p, n in found.items() if n), key=_order)))

    def times(self, other: Polynomial) -> Polynomial | None:
        """Return the product of this polynomial and `other`; None if it is too long."""
        found = Polynomial()
        for one, n in self.terms:
            for two, m in other.terms:
                if len(one) + len(two) > _FACTORS:
                    return None
                product = tuple(sorted((*one, *two), key=_name))
                found = found.plus(Polynomial(((product, n * m),)))
        return found if len(found.terms) <= _TERMS else None

    def minus(self, other: Polynomial) -> Polynomial:
        """Return this polynomial minus `other`."""
        return self.plus(Polynomial(tuple((product, -n) for product, n in other.terms)))

    @property
    def constant(self) -> int | None:
        """The value of a constant polynomial; None for any other."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def is_count(self) -> bool:
        """Whether the polynomial is known not to be negative."""
        return all(
            n > 0 and all(isinstance(factor, Symbol) and factor.is_count for factor in product)
            for product, n in self.terms
        )


def number(value: int) -> Polynomial:
    """Return a constant as a polynomial."""
    return Polynomial((((), value),)) if value else Polynomial()


def of(factor: Factor) -> Polynomial:
    """Return a single factor as a polynomial."""
    return Polynomial((((factor,), 1),))


def _name(factor: Factor) -> tuple[str, int]:
    return (factor.kind, factor.number) if isinstance(factor, Symbol) else ("value", id(factor))


def _order(term: tuple[Product, int]) -> list[tuple[str, int]]:
    return [_name(factor) for factor in term[0]]


class Counter(NamedTuple):
    """A counter from 0 to `rounds` - 1 that takes each value in some thread or iteration."""

    name: object
    rounds: Polynomial


class Sum(NamedTuple):
    """A polynomial of launch parameters plus multiples of counters."""

    first: Polynomial
    counted: Mapping[Counter, Polynomial] = {}

    def plus(self, other: Sum) -> Sum:
        """Return the sum of this and `other`."""
        found = dict(self.counted)
        for counter, times in other.counted.items():
            found[counter] = found.get(counter, Polynomial()).plus(times)
        return Sum(self.first.plus(other.first), {c: n for c, n in found.items() if n.terms})

    def times(self, other: Sum) -> Sum | None:
        """Return the product of this and `other`; None if both have counters, or if it is too long."""
        if self.counted and other.counted:
            return None
        one, factor = (other, self.first) if other.counted else (self, other.first)
        first = one.first.times(factor)
        found = {counter: n.times(factor) for counter, n in one.counted.items()}
        known = {counter: n for counter, n in found.items() if n is not None and n.terms}
        if first is None or None in found.values():
            return None
        return Sum(first, known)

    def minus(self, other: Sum) -> Sum:
        """Return the difference of this and `other`."""
        negative = {counter: Polynomial().minus(n) for counter, n in other.counted.items()}
        return self.plus(Sum(Polynomial().minus(other.first), negative))

    @property
    def least(self) -> Polynomial | None:
        """The minimum value of the sum; None if unknown."""
        return self.first if all(times.is_count for times in self.counted.values()) else None
