"""The folders of the affine dialect. Source: `fold` in mlir/lib/Dialect/Affine/IR/AffineOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap, AffineSymExpr

from gpuasync_lsp.lowering.conversion.folders.constants import Folder, constant_int, integer
from gpuasync_lsp.syntax.dialects import affine, arith

Folded = Sequence["SSAValue | arith.ConstantOp"]

INDEX = IndexType()


def _apply(apply: affine.ApplyOp) -> Folded | None:
    """Fold a map that only returns one of its operands, or whose operands are constants."""
    map: AffineMap = apply.map.data
    if len(map.results) == 1:
        (result,) = map.results
        if isinstance(result, AffineDimExpr):
            return [apply.operands[result.position]]
        if isinstance(result, AffineSymExpr):
            return [apply.operands[map.num_dims + result.position]]
    values = _values(apply, map)
    return None if values is None else [integer(values[0], INDEX)]


def _min(op: Operation) -> Folded | None:
    values = _values(op, cast(affine.MinOp, op).map.data)
    return None if values is None else [integer(min(values), INDEX)]


def _max(op: Operation) -> Folded | None:
    values = _values(op, cast(affine.MaxOp, op).map.data)
    return None if values is None else [integer(max(values), INDEX)]


def _values(op: Operation, map: AffineMap) -> Sequence[int] | None:
    """Return the results of `map` if the operands that it uses are constants, otherwise None.

    Also returns None if the map divides by zero."""
    numbers = [constant_int(operand) for operand in op.operands]
    used = {expr for result in map.results for expr in result.dfs()}
    for number, value in enumerate(numbers):
        expr = AffineDimExpr(number) if number < map.num_dims else AffineSymExpr(number - map.num_dims)
        if value is None and expr in used:
            return None
    known = [number or 0 for number in numbers]
    try:
        return map.eval(known[: map.num_dims], known[map.num_dims :]) or None
    except ZeroDivisionError:
        return None


def _for(op: Operation) -> Folded | None:
    """Fold a loop with results that has no iterations, or that only yields iter_args or outer values.

    If the trip count is not constant, each iter_arg must be yielded as itself; if it is 2 or more, iter_args
    must not change places."""
    loop = cast(affine.ForOp, op)
    if not loop.results:
        return None
    count = trip_count(loop)
    if count == 0:
        return list(loop.inits)
    block = loop.body.block
    end = block.last_op
    if end is None or end is not block.first_op or block.args[0] in end.operands:
        return None
    initial: dict[SSAValue, SSAValue] = dict(zip(block.args[1:], loop.inits, strict=True))
    pairs = list(zip(end.operands, block.args[1:], strict=True))
    changed = [value for value, own in pairs if value is not own]
    if changed if count is None else count > 1 and any(value in initial for value in changed):
        return None
    return [initial.get(value, value) for value in end.operands]


def trip_count(loop: affine.ForOp) -> int | None:
    """Return the trip count if both bounds are constant, otherwise None."""
    bounds = [loop.lower_bound_map.data.results, loop.upper_bound_map.data.results]
    known = [each[0].value for each in bounds if len(each) == 1 and isinstance(each[0], AffineConstantExpr)]
    step = loop.step.value.data
    return max(0, -((known[0] - known[1]) // step)) if len(known) == 2 and step > 0 else None


FOLDERS: dict[type[Operation], Folder] = {
    affine.ApplyOp: _apply,
    affine.MinOp: _min,
    affine.MaxOp: _max,
    affine.ForOp: _for,
}
"""Maps each op class to its folder."""
