"""Sums, products and quotients of affine expressions, folded on construction as in MLIR.

Source: `simplifyAdd`, `simplifyMul`, `simplifyFloorDiv`, `simplifyCeilDiv`, `simplifyMod` and
`getLargestKnownDivisor` in mlir/lib/IR/AffineExpr.cpp; differences between releases were measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from gpuasync_lsp.releases import profile

MOST_TERMS = 256
"""Maximum number of nodes of an expression whose quotients and remainders are folded, to bound the time."""

_Kind = AffineBinaryOpKind
_WORD = 1 << 63


@dataclass(frozen=True)
class FoldRules:
    """Selects folds that differ between releases. By default, the parser applies only the folds of all
    releases."""

    negative_divisors: bool = False
    """Fold `x floordiv -1`, `5 ceildiv -2`."""
    wraps: bool = False
    """Fold sums and products of two numbers that overflow 64 bits."""
    orders_operands: bool = False
    """Fold `d1 + d0` to `d0 + d1`, and fold a term added to a sum with the last term of the sum."""
    cancels: bool = False
    """Fold `s0 floordiv s0` to 1."""


ALL_RELEASES = FoldRules()


def rules_of(llvm: int | None) -> FoldRules:
    """Return the fold rules of a release; for None, only the folds that all releases apply."""
    if llvm is None:
        return ALL_RELEASES
    facts = profile(llvm)
    return FoldRules(
        facts.affine_folds_negative_divisors,
        facts.affine_sums_wrap,
        facts.affine_orders_operands,
        facts.affine_cancels_quotients,
    )


def fold(
    kind: AffineBinaryOpKind, left: AffineExpr, right: AffineExpr, rules: FoldRules = ALL_RELEASES
) -> AffineExpr:
    """Return the operation `kind` of `left` and `right`, folded as in MLIR."""
    found = _FOLDS[kind](left, right, rules)
    return AffineBinaryOpExpr(kind, left, right) if found is None else found


def refolded(expression: AffineExpr, rules: FoldRules) -> AffineExpr:
    """Rebuild `expression` from its leaves according to `rules`; if it is too large, return it unchanged."""
    if not isinstance(expression, AffineBinaryOpExpr) or _is_deep(expression):
        return expression
    return _rebuilt(expression, rules)


def refolded_map(attribute: AffineMapAttr, rules: FoldRules) -> AffineMapAttr:
    """Rebuild the results of a map from their leaves according to `rules`."""
    old = attribute.data
    if rules == ALL_RELEASES or not any(isinstance(each, AffineBinaryOpExpr) for each in old.results):
        return attribute
    return AffineMapAttr(
        AffineMap(old.num_dims, old.num_symbols, tuple(refolded(each, rules) for each in old.results))
    )


def has_no_dimension(expression: AffineExpr) -> bool:
    """Return whether `expression` has only constants and symbols."""
    pending = [expression]
    while pending:
        each = pending.pop()
        if isinstance(each, AffineDimExpr):
            return False
        if isinstance(each, AffineBinaryOpExpr):
            pending += (each.lhs, each.rhs)
    return True


def _rebuilt(expression: AffineExpr, rules: FoldRules) -> AffineExpr:
    if not isinstance(expression, AffineBinaryOpExpr):
        return expression
    return fold(expression.kind, _rebuilt(expression.lhs, rules), _rebuilt(expression.rhs, rules), rules)


def _add(left: AffineExpr, right: AffineExpr, rules: FoldRules) -> AffineExpr | None:
    a, b = _constant(left), _constant(right)
    if a is not None and b is not None:
        return _wrapped(a + b) if rules.wraps else _number(a + b)
    if a is not None or _belongs_after(left, right, rules):
        return fold(_Kind.Add, right, left, rules)
    if b == 0:
        return left
    head, tail = _parts(left, _Kind.Add)
    last = None if tail is None else _constant(tail)
    if head is not None and b is not None and last is not None:
        return fold(_Kind.Add, head, _wrapped(last + b), rules)
    (first, times), (second, others) = _term(left), _term(right)
    if _same(first, second):
        return fold(_Kind.Mul, first, _wrapped(times + others), rules)
    if head is not None and tail is not None and last is not None:
        return fold(_Kind.Add, fold(_Kind.Add, head, right, rules), tail, rules)
    quotient, times_quotient = _parts(right, _Kind.Mul)
    if quotient is None or times_quotient is None:
        return None
    remainder = _remainder(left, quotient, times_quotient, rules)
    if remainder is not None:
        return remainder
    is_quotient = isinstance(quotient, AffineBinaryOpExpr) and quotient.kind is _Kind.FloorDiv
    if rules.orders_operands and is_quotient and head is not None and tail is not None:
        simpler = _add(tail, right, rules)
        if simpler is not None:
            return fold(_Kind.Add, head, simpler, rules)
    return None


def _remainder(
    left: AffineExpr, quotient: AffineExpr, factor: AffineExpr, rules: FoldRules
) -> AffineExpr | None:
    """Return `x mod q` for `x + (x floordiv q) * -q`, or None if the sum does not have this form.

    `left` is x, and `quotient * factor` is the other term; for a symbol q, -1 is a separate factor."""
    minus = _constant(factor)
    dividend, divisor = _parts(quotient, _Kind.FloorDiv)
    if dividend is not None and divisor is not None:
        opposite = fold(_Kind.Mul, factor, AffineConstantExpr(-1), rules)
        if _same(left, dividend) and _same(opposite, divisor):
            return fold(_Kind.Mod, left, divisor, rules)
        return None
    inner, times = _parts(quotient, _Kind.Mul)
    if minus != -1 or inner is None or times is None:
        return None
    dividend, divisor = _parts(inner, _Kind.FloorDiv)
    if dividend is not None and divisor is not None and _same(left, dividend) and _same(times, divisor):
        return fold(_Kind.Mod, left, divisor, rules)
    return None


def _belongs_after(left: AffineExpr, right: AffineExpr, rules: FoldRules) -> bool:
    """Return whether MLIR swaps the terms of `left + right`.

    It puts symbols after dimensions and, with `rules.orders_operands`, orders them by position."""
    if rules.orders_operands and _are_out_of_order(left, right):
        return True
    # Check the right operand first: in a long sum it is the shorter one.
    return not has_no_dimension(right) and has_no_dimension(left)


def _are_out_of_order(left: AffineExpr, right: AffineExpr) -> bool:
    for kind in (AffineDimExpr, AffineSymExpr):
        if isinstance(left, kind) and isinstance(right, kind):
            return left.position > right.position
    return False


def _mul(left: AffineExpr, right: AffineExpr, rules: FoldRules) -> AffineExpr | None:
    a, b = _constant(left), _constant(right)
    if a is not None and b is not None:
        return _wrapped(a * b) if rules.wraps else _number(a * b)
    if a is not None or not has_no_dimension(right):
        if not has_no_dimension(left):
            return None  # Not affine; the parser rejects it.
        return fold(_Kind.Mul, right, left, rules)
    if rules.orders_operands and _are_out_of_order(left, right):
        return fold(_Kind.Mul, right, left, rules)
    if b == 1:
        return left
    if b == 0:
        return right
    head, tail = _parts(left, _Kind.Mul)
    last = None if tail is None else _constant(tail)
    if head is None or tail is None or last is None:
        return None
    if b is not None:
        return fold(_Kind.Mul, head, _wrapped(last * b), rules)
    return fold(_Kind.Mul, fold(_Kind.Mul, head, right, rules), tail, rules)


def _floor_div(left: AffineExpr, right: AffineExpr, rules: FoldRules) -> AffineExpr | None:
    if rules.cancels and _same(left, right) and _constant(right) is None:
        return AffineConstantExpr(1)
    a, b = _constant(left), _constant(right)
    if not _divides(b, rules):
        return None
    assert b is not None
    if a is not None:
        return _number(a // b)
    if b == 1:
        return left
    if (quotient := _quotient_of_product(left, b, rules)) is not None:
        return quotient
    head, tail = _parts(left, _Kind.Add)
    if head is None or tail is None or _is_deep(left):
        return None
    if _largest_divisor(head) % b == 0 or _largest_divisor(tail) % b == 0:
        first, second = (fold(_Kind.FloorDiv, each, right, rules) for each in (head, tail))
        return fold(_Kind.Add, first, second, rules)
    return None


def _ceil_div(left: AffineExpr, right: AffineExpr, rules: FoldRules) -> AffineExpr | None:
    if rules.cancels and _same(left, right) and _constant(right) is None:
        return AffineConstantExpr(1)
    a, b = _constant(left), _constant(right)
    if not _divides(b, rules):
        return None
    assert b is not None
    if a is not None:
        return _number(-(-a // b))
    return left if b == 1 else _quotient_of_product(left, b, rules)


def _quotient_of_product(left: AffineExpr, divisor: int, rules: FoldRules) -> AffineExpr | None:
    head, tail = _parts(left, _Kind.Mul)
    last = None if tail is None else _constant(tail)
    if head is None or last is None or last % divisor:
        return None
    return fold(_Kind.Mul, head, AffineConstantExpr(last // divisor), rules)


def _mod(left: AffineExpr, right: AffineExpr, rules: FoldRules) -> AffineExpr | None:
    if rules.cancels and _same(left, right) and _constant(right) is None:
        return AffineConstantExpr(0)
    a, b = _constant(left), _constant(right)
    if b is None or b < 1:
        return None
    if a is not None:
        return AffineConstantExpr(a % b)
    if _is_deep(left):
        return None
    if _largest_divisor(left) % b == 0:
        return AffineConstantExpr(0)
    head, tail = _parts(left, _Kind.Add)
    if head is not None and tail is not None:
        if _largest_divisor(head) % b == 0:
            return fold(_Kind.Mod, tail, right, rules)
        if _largest_divisor(tail) % b == 0:
            return fold(_Kind.Mod, head, right, rules)
    head, tail = _parts(left, _Kind.Mod)
    modulus = None if tail is None else _constant(tail)
    if head is not None and modulus is not None and modulus >= 1 and modulus % b == 0:
        return fold(_Kind.Mod, head, right, rules)
    return None


_FOLDS: dict[AffineBinaryOpKind, Callable[[AffineExpr, AffineExpr, FoldRules], AffineExpr | None]] = {
    _Kind.Add: _add,
    _Kind.Mul: _mul,
    _Kind.FloorDiv: _floor_div,
    _Kind.CeilDiv: _ceil_div,
    _Kind.Mod: _mod,
}


def _divides(divisor: int | None, rules: FoldRules) -> bool:
    return divisor is not None and (divisor >= 1 or (divisor < 0 and rules.negative_divisors))


def _largest_divisor(expression: AffineExpr) -> int:
    """Return the largest known divisor of the values of `expression`; 0 if they are all 0."""
    if isinstance(expression, AffineConstantExpr):
        return abs(expression.value)
    if not isinstance(expression, AffineBinaryOpExpr):
        return 1
    kind, left = expression.kind, _largest_divisor(expression.lhs)
    if kind is _Kind.Mul:
        return left * _largest_divisor(expression.rhs) % (2 * _WORD)
    if kind in (_Kind.Add, _Kind.Mod):
        return gcd(left, _largest_divisor(expression.rhs))
    divisor = _constant(expression.rhs)
    return abs(left // divisor) if divisor and left % divisor == 0 else 1


def _is_deep(expression: AffineExpr) -> bool:
    """Return whether `expression` has more than `MOST_TERMS` nodes."""
    pending, count = [expression], 0
    while pending:
        each = pending.pop()
        if isinstance(each, AffineBinaryOpExpr):
            count += 1
            if count > MOST_TERMS:
                return True
            pending += (each.lhs, each.rhs)
    return False


def _same(one: AffineExpr, other: AffineExpr) -> bool:
    """Return whether two expressions are equal; iterative, since they may be deep."""
    pending = [(one, other)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        if not isinstance(a, AffineBinaryOpExpr):
            if isinstance(b, AffineBinaryOpExpr) or a != b:
                return False
        elif not isinstance(b, AffineBinaryOpExpr) or a.kind is not b.kind:
            return False
        else:
            pending += ((a.lhs, b.lhs), (a.rhs, b.rhs))
    return True


def _constant(expression: AffineExpr) -> int | None:
    return expression.value if isinstance(expression, AffineConstantExpr) else None


def _wrapped(value: int) -> AffineExpr:
    """Return `value` wrapped to 64 bits, for sums and products that MLIR does not check for overflow."""
    return AffineConstantExpr((value + _WORD) % (2 * _WORD) - _WORD)


def _number(value: int) -> AffineExpr | None:
    """Return a constant; None if it overflows 64 bits, in which case MLIR does not fold."""
    return AffineConstantExpr(value) if -_WORD <= value < _WORD else None


def _parts(
    expression: AffineExpr, kind: AffineBinaryOpKind
) -> tuple[AffineExpr, AffineExpr] | tuple[None, None]:
    if isinstance(expression, AffineBinaryOpExpr) and expression.kind is kind:
        return expression.lhs, expression.rhs
    return None, None


def _term(expression: AffineExpr) -> tuple[AffineExpr, int]:
    """Split `expression` into an expression and a constant factor."""
    if isinstance(expression, AffineBinaryOpExpr) and expression.kind is _Kind.Mul:
        factor = _constant(expression.rhs)
        if factor is not None:
            return expression.lhs, factor
    return expression, 1
