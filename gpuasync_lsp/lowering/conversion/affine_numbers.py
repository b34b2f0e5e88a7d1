"""Inserts affine.apply and affine.min ops that compute index numbers from constants and values.

Source: `makeComposedFoldedAffineApply` in mlir/lib/Dialect/Affine/IR/AffineOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, composed, replaced, simplified
from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.syntax.affine_folds import fold
from gpuasync_lsp.syntax.dialects import affine

Number = int | SSAValue


def symbol(position: int) -> AffineExpr:
    return AffineExpr.symbol(position)


def times(left: AffineExpr, right: AffineExpr) -> AffineExpr:
    """Return the product of two expressions; xDSL's operator rejects the product of two symbols."""
    return fold(AffineBinaryOpKind.Mul, left, right)


def apply(expr: AffineExpr, numbers: Sequence[Number], before: Operation, rewriter: Rewriter) -> Number:
    """Return the value of `expr`, given `numbers` for its symbols.

    The result is an int, an existing value, or the result of a new affine.apply inserted before an op."""
    new: dict[AffineExpr, AffineExpr] = {}
    operands: list[SSAValue] = []
    for position, number in enumerate(numbers):
        if isinstance(number, int):
            new[symbol(position)] = AffineConstantExpr(number)
        else:
            new[symbol(position)] = symbol(len(operands))
            operands.append(number)
    map = AffineMap(0, len(operands), (replaced(expr, new),))
    map, operands = canonical(*composed(map, operands), rewriter.profile)
    map = simplified(map, rewriter.profile)
    (result,) = map.results
    if isinstance(result, AffineConstantExpr):
        return result.value
    if isinstance(result, AffineDimExpr):
        return operands[result.position]
    if isinstance(result, AffineSymExpr):
        return operands[map.num_dims + result.position]
    computed = affine.ApplyOp.create(
        operands=operands, result_types=[IndexType()], properties={"map": AffineMapAttr(map)}
    )
    return rewriter.insert(computed, before).results[0]


def least(numbers: Sequence[Number], before: Operation, rewriter: Rewriter) -> Number:
    """Return the minimum of the numbers: an int, or the result of a new affine.min inserted before an op."""
    if all(isinstance(number, int) for number in numbers):
        return min(number for number in numbers if isinstance(number, int))
    operands = [number for number in numbers if not isinstance(number, int)]
    positions = iter(range(len(operands)))
    results = [AffineConstantExpr(n) if isinstance(n, int) else symbol(next(positions)) for n in numbers]
    map, operands = canonical(
        *composed(AffineMap(0, len(operands), tuple(results)), operands), rewriter.profile
    )
    computed = affine.MinOp.create(
        operands=operands, result_types=[IndexType()], properties={"map": AffineMapAttr(map)}
    )
    return rewriter.insert(computed, before).results[0]
