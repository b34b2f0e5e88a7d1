"""Remainders that are never equal, such as `%i mod 4` and `(%i + 1) mod 4` in a ring buffer."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from xdsl.dialects.builtin import AffineMapAttr
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
from gpuasync_lsp.analysis.model.memory.linear import Linear

_REMAINDERS = frozenset({"arith.remui", "arith.remsi", "index.remu", "index.rems"})
_SUMS = frozenset({"arith.addi", "index.add"})
_STEPS = 8


class Remainder(NamedTuple):
    """The integer (`value` + `shift`) mod `modulus`."""

    value: SSAValue
    shift: int
    modulus: int


def without_equal(apart: Linear) -> Linear:
    """Return the distance `apart` with pairs of equal remainders cancelled out.

    Assumes that sums are not negative and do not overflow.
    """
    for number, (one, times) in enumerate(apart.terms):
        for other, less in apart.terms[number + 1 :]:
            if times == -less and _shifts(one, other) == 0:
                return without_equal(
                    apart.minus(Linear(0, ((one, times),))).minus(Linear(0, ((other, less),)))
                )
    return apart


def least_distance(apart: Linear) -> int | None:
    """Return the minimum absolute value of a distance between two remainders that are never equal.

    Returns None for any other distance. Assumes that sums do not overflow.
    """
    if len(apart.terms) != 2:
        return None
    (one, times), (other, less) = apart.terms
    if times != -less or not _shifts(one, other):
        return None
    return max(abs(times) - abs(apart.constant), 0)


def _shifts(one: SSAValue, other: SSAValue) -> int | None:
    """Return the difference between the shifts of two remainders of one value by one modulus.

    Returns None for any other values."""
    first, second = remainder_of(one), remainder_of(other)
    if first is None or second is None:
        return None
    if (first.value, first.modulus) != (second.value, second.modulus):
        return None
    return (first.shift - second.shift) % first.modulus


def remainder_of(value: SSAValue) -> Remainder | None:
    """Return `value` as a remainder by a constant; None if it is not such a remainder."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    if owner.name in _REMAINDERS:
        modulus = constant(owner.operands[1])
        return _shifted(owner.operands[0], 0, modulus) if modulus is not None and modulus > 0 else None
    kept = owner.properties.get("map")
    if owner.name != "affine.apply" or not isinstance(kept, AffineMapAttr) or len(owner.operands) != 1:
        return None
    (result,) = kept.data.results
    if not isinstance(result, AffineBinaryOpExpr) or result.kind is not AffineBinaryOpKind.Mod:
        return None
    shift = _shift(result.lhs)
    if shift is None or not isinstance(result.rhs, AffineConstantExpr) or result.rhs.value <= 0:
        return None
    return _shifted(owner.operands[0], shift, result.rhs.value)


def _shifted(value: SSAValue, shift: int, modulus: int) -> Remainder:
    for _ in range(_STEPS):
        owner = value.owner
        if not isinstance(owner, Operation) or owner.name not in _SUMS:
            break
        numbers = [constant(operand) for operand in owner.operands]
        at = next((at for at, number in enumerate(numbers) if number is not None), None)
        if at is None:
            break
        shift += numbers[at] or 0
        value = owner.operands[1 - at]
    return Remainder(value, shift, modulus)


def _shift(expression: AffineExpr) -> int | None:
    """Return the constant that an expression adds to its only operand; None for any other expression."""
    match expression:
        case AffineDimExpr() | AffineSymExpr():
            return 0
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, rhs=AffineConstantExpr()):
            inner = _shift(expression.lhs)
            assert isinstance(expression.rhs, AffineConstantExpr)
            return inner + expression.rhs.value if inner is not None else None
        case _:
            return None


class Rows(NamedTuple):
    """Rows of at least `width` bytes; the distances between rows are multiples of `strides`."""

    width: int
    strides: list[int]


def never_meet(one: Rows, other: Rows, apart: Linear) -> bool:
    """Return whether `one` and `other`, which begins `apart` bytes later, share no byte.

    All strides and all terms of the distance have a common divisor, so each set of rows has fixed residues
    modulo this divisor, for all sizes. Assumes that sums do not overflow.
    """
    stretch = gcd(*one.strides, *other.strides, *(times for _, times in apart.terms))
    begins = apart.constant % stretch if stretch else 0
    return one.width <= begins <= stretch - other.width
