"""The patterns of the affine dialect: dimensions become symbols; constant and duplicate operands are dropped.

Source: `SimplifyAffineOp` and `CanonicalizeAffineMinMaxOpExprAndTermOrder` in
mlir/lib/Dialect/Affine/IR/AffineOps.cpp.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, coefficients, composed, simplified
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns
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


PATTERNS: Patterns = {
    affine.ApplyOp: (_simplify_map,),
    affine.MinOp: (_simplify_map, _order_results),
    affine.MaxOp: (_simplify_map, _order_results),
    affine.LoadOp: (_simplify_map,),
    affine.VectorLoadOp: (_simplify_map,),
    affine.StoreOp: (_simplify_map,),
    affine.VectorStoreOp: (_simplify_map,),
    affine.PrefetchOp: (_simplify_map,),
    affine.ForOp: (_simplify_bounds,),
}
