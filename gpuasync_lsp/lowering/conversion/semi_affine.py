"""Orders the terms of sums that contain products of symbols, as MLIR does.

Source: `SimpleAffineExprFlattener` and `getSemiAffineExprFromFlatForm` in mlir/lib/IR/AffineExpr.cpp.
"""

from __future__ import annotations

from math import gcd

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from gpuasync_lsp.syntax.affine_folds import fold

_ONE = AffineConstantExpr(1)
Sum = dict[AffineExpr, int]
"""A sum as a mapping from terms to coefficients; the key of the constant is `_ONE`."""


def in_order(expr: AffineExpr, num_dims: int, num_symbols: int) -> AffineExpr:
    """Return `expr` as a sum of terms, sorted by their first dimension or symbol.

    An expression with a remainder, or with a divisor that is not a positive constant, is returned
    unchanged."""
    terms: list[AffineExpr] = []
    found = _flat(expr, terms)
    return expr if found is None else _sorted(found, terms, max(num_dims, num_symbols))


def _flat(expr: AffineExpr, terms: list[AffineExpr]) -> Sum | None:
    """Return `expr` as a sum; append terms that are neither dimensions nor symbols to `terms`.

    Returns None for an expression that `in_order` leaves unchanged."""
    if isinstance(expr, AffineConstantExpr):
        return {_ONE: expr.value}
    if not isinstance(expr, AffineBinaryOpExpr):
        return {expr: 1}
    left, right = _flat(expr.lhs, terms), _flat(expr.rhs, terms)
    if left is None or right is None:
        return None
    if expr.kind is AffineBinaryOpKind.Add:
        return {term: left.get(term, 0) + right.get(term, 0) for term in (*left, *right)}
    number = expr.rhs.value if isinstance(expr.rhs, AffineConstantExpr) else None
    if expr.kind is AffineBinaryOpKind.Mul:
        if number is not None:
            return {term: times * number for term, times in left.items()}
        return _one(fold(expr.kind, _joined(left, terms), _joined(right, terms)), terms)
    if expr.kind is not AffineBinaryOpKind.FloorDiv or number is None or number <= 0:
        return None
    common = gcd(number, *left.values())
    left = {term: times // common for term, times in left.items()}
    if number == common:
        return left
    return _one(fold(expr.kind, _joined(left, terms), AffineConstantExpr(number // common)), terms)


def _one(term: AffineExpr, terms: list[AffineExpr]) -> Sum:
    if term not in terms:
        terms.append(term)
    return {term: 1}


def _joined(found: Sum, terms: list[AffineExpr]) -> AffineExpr:
    """Return a sum as an expression with first dimensions, then symbols, then all other terms."""
    dims = sorted((t for t in found if isinstance(t, AffineDimExpr)), key=lambda t: t.position)
    symbols = sorted((t for t in found if isinstance(t, AffineSymExpr)), key=lambda t: t.position)
    return _added([*dims, *symbols, *(t for t in terms if t in found)], found)


def _sorted(found: Sum, terms: list[AffineExpr], behind: int) -> AffineExpr:
    """Return a sum as an expression in MLIR's order; `behind` exceeds all dimension and symbol indices."""
    places: dict[AffineExpr, tuple[int, int]] = {}
    late, early = behind, -1
    plain = sorted((t for t in found if isinstance(t, AffineSymExpr)), key=lambda t: t.position)
    for symbol in plain:
        if found[symbol]:
            places[symbol] = (symbol.position, late)
            late += 1
    for term in terms:
        if not found.get(term) or not isinstance(term, AffineBinaryOpExpr):
            continue
        left, right = term.lhs, term.rhs
        if not isinstance(right, AffineDimExpr | AffineSymExpr | AffineConstantExpr):
            continue
        if isinstance(left, AffineSymExpr):
            places[term] = (left.position, late)
            late += 1
        elif isinstance(left, AffineDimExpr) and isinstance(right, AffineConstantExpr):
            places[term] = (left.position, early)
            early -= 1
        elif isinstance(left, AffineDimExpr) and not isinstance(right, AffineConstantExpr):
            places[term] = (left.position, right.position)
    dims = sorted((t for t in found if isinstance(t, AffineDimExpr)), key=lambda t: t.position)
    for dim in dims:
        if found[dim]:
            places[dim] = (dim.position, early)
            early -= 1
    first = sorted(places, key=lambda term: places[term])
    return _added([*first, *(t for t in terms if t in found and t not in places)], found)


def _added(terms: list[AffineExpr], found: Sum) -> AffineExpr:
    total: AffineExpr = AffineConstantExpr(0)
    for term in terms:
        if found[term]:
            factor = fold(AffineBinaryOpKind.Mul, term, AffineConstantExpr(found[term]))
            total = fold(AffineBinaryOpKind.Add, total, factor)
    return fold(AffineBinaryOpKind.Add, total, AffineConstantExpr(found.get(_ONE, 0)))
