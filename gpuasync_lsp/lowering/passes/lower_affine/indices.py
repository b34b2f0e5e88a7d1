"""Lowers affine.delinearize_index and affine.linearize_index to arith ops.

Source: mlir/lib/Dialect/Affine/Transforms/AffineExpandIndexOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, composed
from gpuasync_lsp.lowering.passes.lower_affine.emitting import SLT, Emitter
from gpuasync_lsp.syntax.dialects import affine, arith
from gpuasync_lsp.syntax.dialects.assembly import integers

_LOOPS = ("affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while")


def delinearize(op: Operation, emit: Emitter) -> None:
    """Lower affine.delinearize_index to quotients of the index, then of the remainders."""
    assert isinstance(op, affine.DelinearizeIndexOp)
    flags = "nsw" if emit.profile.index_sums_have_flags else ""
    linear = emit.now(op.linear_index)
    if len(op.results) == 1:
        return emit.become([linear])
    if not emit.profile.expands_affine_indices:
        return emit.become(_by_maps(emit, linear, emit.all_now(op.dynamic_basis[1:])))
    basis = _inner(integers(op.static_basis), len(op.results))
    strides = _strides(emit, basis, op.dynamic_basis, "nsw, nuw" if flags else "")
    zero = emit.constant(0)

    def rest(stride: SSAValue) -> SSAValue:
        remainder = emit.binary(arith.RemSIOp, linear, stride)
        is_negative = emit.compare(SLT, remainder, zero)
        corrected = emit.binary(arith.AddiOp, remainder, stride, flags)
        return emit.select(is_negative, corrected, remainder)

    results = [emit.binary(arith.FloorDivSIOp, linear, strides[0])]
    for stride, next_stride in pairwise(strides):
        results.append(emit.binary(arith.DivSIOp, rest(stride), next_stride))
    results.append(rest(strides[-1]))
    return emit.become(results)


def _by_maps(emit: Emitter, linear: SSAValue, basis: Sequence[SSAValue]) -> list[SSAValue]:
    """Return the indices as LLVM 19 computes them, each with an affine.apply of the previous remainder."""
    values = [linear, *basis]

    def apply(expression: AffineExpr) -> SSAValue:
        map = AffineMap(1, len(basis), (expression,))
        (result,) = emit.expand(*canonical(*composed(map, values), emit.profile))
        return result

    strides: list[AffineExpr] = []
    for position in range(len(basis)):
        stride: AffineExpr = AffineExpr.symbol(position)
        for extent in range(position + 1, len(basis)):
            stride = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, stride, AffineExpr.symbol(extent))
            apply(stride)  # Unused, as in MLIR, which composes the maps below with it.
        strides.append(stride)
    rest: AffineExpr = AffineExpr.dimension(0)
    results: list[SSAValue] = []
    last = linear
    for stride in strides:
        results.append(apply(AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, rest, stride)))
        rest = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, rest, stride)
        last = apply(rest)
    return [*results, last]


def linearize(op: Operation, emit: Emitter) -> None:
    """Lower affine.linearize_index to a sum of products; terms that vary in the fewest loops come first."""
    assert isinstance(op, affine.LinearizeIndexOp)
    indices = list(op.multi_index)
    if not indices:
        return emit.become([emit.constant(0)])
    flags = "nsw" if emit.profile.index_sums_have_flags else ""
    more = "nsw, nuw" if flags and op.disjoint is not None else flags
    basis = _inner(integers(op.static_basis), len(indices))
    strides = _strides(emit, basis, op.dynamic_basis, more)
    terms = [
        (emit.folded(arith.MuliOp, emit.now(index), stride, flags), _loops_without(index, op))
        for index, stride in zip(indices, strides, strict=False)
    ]
    terms.append((emit.now(indices[-1]), _loops_without(indices[-1], op)))
    (first, _), *others = sorted(terms, key=lambda term: -term[1])
    for other, _ in others:
        first = emit.binary(arith.AddiOp, first, other, flags)
    return emit.become([first])


def _inner(basis: Sequence[int], indices: int) -> Sequence[int]:
    """Return `basis` without the extent of the outermost index, which is optional and unused."""
    return basis[1:] if len(basis) == indices else basis


def _strides(emit: Emitter, basis: Sequence[int], dynamic: Sequence[SSAValue], flags: str) -> list[SSAValue]:
    """Return the stride of each index except the last."""
    strides: list[SSAValue] = []
    given = list(dynamic)
    product: SSAValue | None = None
    known = 1
    for extent in reversed(basis):
        if extent == DYNAMIC_INDEX:
            value = emit.now(given.pop())
            product = value if product is None else emit.binary(arith.MuliOp, product, value, flags)
        else:
            known *= extent
        if product is not None and known == 1:
            strides.append(product)
        else:
            stride = emit.constant(known)
            strides.append(stride if product is None else emit.folded(arith.MuliOp, product, stride, flags))
    return strides[::-1]


def _loops_without(value: SSAValue, op: Operation) -> int:
    """Return the number of innermost loops around `op` that do not contain the definition of `value`."""
    count = 0
    inside: Operation | None = op
    owner = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    around: set[Block] = set()
    while owner is not None:
        around.add(owner)
        parent = owner.parent_op()
        owner = None if parent is None else parent.parent
    while inside is not None:
        if inside.name in _LOOPS:
            if any(block in around for region in inside.regions for block in region.blocks):
                break
            count += 1
        inside = inside.parent_op()
    return count
