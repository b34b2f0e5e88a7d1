"""The patterns of the affine dialect: dimensions become symbols; constant and duplicate operands are dropped.

Source: `AffineForEmptyLoopFolder`, `SimplifyAffineOp` and `CanonicalizeAffineMinMaxOpExprAndTermOrder` in
mlir/lib/Dialect/Affine/IR/AffineOps.cpp.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineMap

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, coefficients, composed, simplified
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import (
    Patterns,
    end_of,
    is_empty,
    is_inside,
    replace,
)
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import affine
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.kinds import map_of


def _simplify_map(op: Operation, profile: Profile) -> bool:
    """Simplify the map of an op and its map operands, which are the op's last operands."""
    map = map_of(op.properties["map"])
    start = len(op.operands) - map.num_dims - map.num_symbols
    new, operands = canonical(*composed(map, op.operands[start:]), profile)
    if operands != list(op.operands[start:]) or new != map:
        new = simplified(new, profile)
    if new == map and operands == list(op.operands[start:]):
        return False
    op.properties["map"] = AffineMapAttr(new)
    op.operands = [*op.operands[:start], *operands]
    return True


def _order_results(op: Operation, _: Profile) -> bool:
    """Deduplicate the results of an affine.min or affine.max, and sort them by their coefficients."""
    map = map_of(op.properties["map"])
    results = list(dict.fromkeys(map.results))
    rows = {result: coefficients(result, map.num_dims, map.num_symbols) for result in results}
    known = {result: row for result, row in rows.items() if row is not None}
    if len(known) == len(results):
        results.sort(key=known.__getitem__)
    if tuple(results) == map.results:
        return False
    op.properties["map"] = AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, tuple(results)))
    return True


def _simplify_bounds(loop: affine.ForOp, profile: Profile) -> bool:
    given = [list(loop.lower_bound_operands), list(loop.upper_bound_operands)]
    maps = [loop.lower_bound_map.data, loop.upper_bound_map.data]
    new = [canonical(map, values, profile) for map, values in zip(maps, given, strict=True)]
    if [map for map, _ in new] == maps and [values for _, values in new] == given:
        return False
    (lower, lower_values), (upper, upper_values) = new
    loop.properties |= {
        "lowerBoundMap": AffineMapAttr(lower),
        "upperBoundMap": AffineMapAttr(upper),
        "operandSegmentSizes": i32_array([len(lower_values), len(upper_values), len(loop.inits)]),
    }
    loop.operands = [*lower_values, *upper_values, *loop.inits]
    return True


def _run_empty_loop(loop: affine.ForOp, _: Profile) -> bool:
    """Fold an affine.for that has iterations but only yields its iter_args or values from outside."""
    block = loop.body.block
    bounds = [loop.lower_bound_map.data.results, loop.upper_bound_map.data.results]
    known = [results[0].value for results in bounds if results and isinstance(results[0], AffineConstantExpr)]
    if not is_empty(block) or not loop.results or len(known) < len(bounds) or known[0] >= known[1]:
        return False
    arguments: dict[SSAValue, SSAValue] = dict(zip(block.args[1:], loop.inits, strict=True))
    yielded = list(end_of(loop.body).operands)
    if any(value in arguments and value is not own for value, own in zip(yielded, arguments, strict=True)):
        return False
    values = [arguments.get(value, value) for value in yielded]
    return not any(is_inside(value, loop.regions) for value in values) and replace(loop, values)


PATTERNS: Patterns = {
    affine.ApplyOp: (_simplify_map,),
    affine.MinOp: (_simplify_map, _order_results),
    affine.MaxOp: (_simplify_map, _order_results),
    affine.LoadOp: (_simplify_map,),
    affine.VectorLoadOp: (_simplify_map,),
    affine.StoreOp: (_simplify_map,),
    affine.VectorStoreOp: (_simplify_map,),
    affine.PrefetchOp: (_simplify_map,),
    affine.ForOp: (_simplify_bounds, _run_empty_loop),
}
