"""Composes affine maps with the affine.apply ops that define their operands, and canonicalizes them.

Source: `composeAffineMapAndOperands`, `canonicalizeMapAndOperands` and `canonicalizeSetAndOperands` in
mlir/lib/Dialect/Affine/IR/AffineOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from gpuasync_lsp.lowering.conversion.folders import constant_int
from gpuasync_lsp.lowering.conversion.semi_affine import in_order
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.affine_folds import fold, refolded, rules_of
from gpuasync_lsp.syntax.dialects import affine, func, gpu
from gpuasync_lsp.text.effort import spend

MAX_SIZE = 1000
"""The maximum number of nodes in a composed map's expressions: each iteration can double them."""

_SCOPES = (func.FuncOp, gpu.LaunchOp, ModuleOp)
"""Values defined at the top level of these ops are symbols; newer releases add gpu.func."""


def canonical(
    map: AffineMap, operands: Sequence[SSAValue], profile: Profile | None
) -> tuple[AffineMap, list[SSAValue]]:
    """Return an equivalent map in canonical form, and its operands.

    Dimensions become symbols where that is valid; duplicate, unused and constant operands are removed."""
    scopes = (*_SCOPES, gpu.GPUFuncOp) if profile is None or profile.kernels_are_affine_scopes else _SCOPES
    dims, symbols = operands[: map.num_dims], operands[map.num_dims :]
    used = {expr for result in map.results for expr in result.dfs()}
    kept_dims: list[SSAValue] = []
    kept_symbols: list[SSAValue] = []

    def replacement(value: SSAValue, old: AffineExpr, is_symbol: bool) -> AffineExpr:
        constant = constant_int(value)
        if constant is not None:
            return AffineConstantExpr(constant)
        if old not in used:
            return AffineConstantExpr(0)
        kept = kept_symbols if is_symbol else kept_dims
        if value not in kept:
            kept.append(value)
        index = kept.index(value)
        return AffineExpr.symbol(index) if is_symbol else AffineExpr.dimension(index)

    new: dict[AffineExpr, AffineExpr] = {}
    for number, value in enumerate(symbols):
        old = AffineExpr.symbol(number)
        new[old] = replacement(value, old, True)
    for number, value in enumerate(dims):
        old = AffineExpr.dimension(number)
        new[old] = replacement(value, old, _is_symbol(value, scopes))
    results = tuple(replaced(result, new) for result in map.results)
    return AffineMap(len(kept_dims), len(kept_symbols), results), [*kept_dims, *kept_symbols]


def composed(map: AffineMap, operands: Sequence[SSAValue]) -> tuple[AffineMap, list[SSAValue]]:
    """Inline the affine.apply ops that define operands of `map`; return the map and its operands."""
    dims, symbols = list(operands[: map.num_dims]), list(operands[map.num_dims :])
    results = map.results
    while sum(1 for result in results for _ in result.dfs()) < MAX_SIZE:
        new: dict[AffineExpr, AffineExpr] = {}
        for values, expression in ((dims, AffineExpr.dimension), (symbols, AffineExpr.symbol)):
            for number, value in enumerate(list(values)):
                if isinstance(value.owner, affine.ApplyOp):
                    new[expression(number)] = _inlined(value.owner, dims, symbols)
        used = {expr for result in results for expr in result.dfs()}
        if not used & new.keys():
            break
        spend(len(used))
        results = tuple(replaced(result, new) for result in results)
    return AffineMap(len(dims), len(symbols), results), [*dims, *symbols]


def _inlined(op: affine.ApplyOp, dims: list[SSAValue], symbols: list[SSAValue]) -> AffineExpr:
    """Return the expression that `op` computes; append its operands to `dims` and `symbols`."""
    own = op.map.data
    new: dict[AffineExpr, AffineExpr] = {}
    for number, value in enumerate(op.map_operands):
        if number < own.num_dims:
            new[AffineExpr.dimension(number)] = AffineExpr.dimension(len(dims))
            dims.append(value)
        else:
            new[AffineExpr.symbol(number - own.num_dims)] = AffineExpr.symbol(len(symbols))
            symbols.append(value)
    return replaced(own.results[0], new)


def simplified(map: AffineMap, profile: Profile) -> AffineMap:
    """Simplify `map`, and order the terms of its sums by their dimensions and symbols."""
    in_sums, rules = profile.finds_remainders_in_sums, rules_of(profile.version)
    # Refold first: a dimension that has become a symbol is now ordered after other operands.
    results = tuple(_simplified(refolded(each, rules), map, in_sums) for each in map.results)
    return AffineMap(map.num_dims, map.num_symbols, results)


def _simplified(expression: AffineExpr, map: AffineMap, in_sums: bool) -> AffineExpr:
    if not expression.is_pure_affine():
        return in_order(expression, map.num_dims, map.num_symbols)
    if any(_divides_by_no_positive(each) for each in expression.post_order()):
        return expression
    try:
        return _with_remainders(expression.simplify(map.num_dims, map.num_symbols), in_sums)
    except (NotImplementedError, ZeroDivisionError, ValueError):
        # xDSL does not implement this simplification, so the expression is left unchanged.
        return expression


def _divides_by_no_positive(expression: AffineExpr) -> bool:
    """Return whether `expression` is a division or remainder by a non-positive constant."""
    return (
        isinstance(expression, AffineBinaryOpExpr)
        and expression.kind not in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
        and isinstance(expression.rhs, AffineConstantExpr)
        and expression.rhs.value <= 0
    )


def _with_remainders(expr: AffineExpr, in_sums: bool) -> AffineExpr:
    """Rewrite `e - (e floordiv c) * c` as `e mod c`; with `in_sums`, `e` may be the last term of a sum."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return expr
    left, right = _with_remainders(expr.lhs, in_sums), _with_remainders(expr.rhs, in_sums)
    quotient, times = _term(right)
    if expr.kind is AffineBinaryOpKind.Add and isinstance(quotient, AffineBinaryOpExpr):
        is_floor = quotient.kind is AffineBinaryOpKind.FloorDiv
        if is_floor and quotient.rhs == AffineConstantExpr(-times):
            before, last = _last_term(left) if in_sums else (None, left)
            if last == quotient.lhs:
                rest = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, last, quotient.rhs)
                return rest if before is None else AffineBinaryOpExpr(expr.kind, before, rest)
    return AffineBinaryOpExpr(expr.kind, left, right)


def _last_term(expr: AffineExpr) -> tuple[AffineExpr | None, AffineExpr]:
    """Split a sum into all terms but the last (None if there is one term), and the last term."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Add:
        return expr.lhs, expr.rhs
    return None, expr


def replaced(expr: AffineExpr, new: dict[AffineExpr, AffineExpr]) -> AffineExpr:
    """Replace the dimensions and symbols in `expr`; xDSL's function rejects products of symbols."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return new.get(expr, expr)
    left, right = replaced(expr.lhs, new), replaced(expr.rhs, new)
    if expr.kind is AffineBinaryOpKind.Add:
        (first, times), (second, others) = _term(left), _term(right)
        if first == second:
            factor = AffineConstantExpr(times + others)
            return fold(AffineBinaryOpKind.Mul, first, factor) if factor.value else factor
    is_number = isinstance(left, AffineConstantExpr) and not isinstance(right, AffineConstantExpr)
    if is_number and expr.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul):
        left, right = right, left
    return fold(expr.kind, left, right)


def _term(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """Split `expr` into a factor and its constant coefficient."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Mul:
        factor = expr.rhs
        if isinstance(factor, AffineConstantExpr):
            return expr.lhs, factor.value
    return expr, 1


def coefficients(expr: AffineExpr, dims: int, symbols: int) -> list[int] | None:
    """Return the coefficients of dimensions and symbols in a sum, and its constant.

    Returns None if `expr` is not linear."""
    row = [0] * (dims + symbols + 1)
    pending = [(expr, 1)]
    while pending:
        part, factor = pending.pop()
        if isinstance(part, AffineDimExpr):
            row[part.position] += factor
        elif isinstance(part, AffineSymExpr):
            row[dims + part.position] += factor
        elif isinstance(part, AffineConstantExpr):
            row[-1] += factor * part.value
        elif isinstance(part, AffineBinaryOpExpr) and part.kind is AffineBinaryOpKind.Add:
            pending += [(part.lhs, factor), (part.rhs, factor)]
        elif isinstance(part, AffineBinaryOpExpr) and part.kind is AffineBinaryOpKind.Mul:
            if not isinstance(part.rhs, AffineConstantExpr):
                return None
            pending.append((part.lhs, factor * part.rhs.value))
        else:
            return None
    return row


def _is_symbol(value: SSAValue, scopes: tuple[type[Operation], ...]) -> bool:
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    return block is not None and isinstance(block.parent_op(), scopes)
