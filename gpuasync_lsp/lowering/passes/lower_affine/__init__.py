"""`lower-affine`: affine loops, conditions and accesses become scf, memref, vector and arith ops.

As in MLIR's conversion driver, each op is folded before it is lowered: loop bounds and the sets of
conditions are composed with the affine.apply ops that define their operands. Sources: the output of
each release, and mlir/lib/Conversion/AffineToStandard/AffineToStandard.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, IndexType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineMap

from gpuasync_lsp.lowering.conversion.affine_maps import canonical, composed, simplified
from gpuasync_lsp.lowering.conversion.driver import Leftover
from gpuasync_lsp.lowering.conversion.edits import block_of
from gpuasync_lsp.lowering.conversion.errors import MatchFailure, OwnLimit, PassError
from gpuasync_lsp.lowering.conversion.folders import fold
from gpuasync_lsp.lowering.conversion.folders.affine import trip_count
from gpuasync_lsp.lowering.conversion.folders.llvm import fold_llvm
from gpuasync_lsp.lowering.conversion.folders.memref import skip_casts
from gpuasync_lsp.lowering.passes.lower_affine.emitting import EQ, SGE, Emitter
from gpuasync_lsp.lowering.passes.lower_affine.indices import delinearize, linearize
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax import OpaqueOp
from gpuasync_lsp.syntax.affine_folds import refolded_map, rules_of
from gpuasync_lsp.syntax.dialects import affine, arith, memref, scf, vector
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.dialects.memref import ATOMIC_KINDS
from gpuasync_lsp.syntax.kinds import bits_of, is_integer, map_of, number_attr, number_of
from gpuasync_lsp.text.effort import spend


def lower_affine(root: Operation, profile: Profile) -> list[Leftover]:
    """Lower the affine ops inside `root` in place, like `profile`'s release; return the unlowered ops."""
    values: dict[SSAValue, SSAValue] = {}
    done: list[Operation] = []
    left: list[Leftover] = []
    for op in list(root.walk()):
        if isinstance(op, OpaqueOp) and op.op_name.startswith("affine."):
            raise OwnLimit(op, f"this tool cannot lower '{op.op_name}'")
        # The conversion folds ops of unknown legality: llvm and linalg ops, but not arith, memref, scf and
        # vector ops.
        if op.name.startswith("linalg."):
            skip_casts(op)
        if op.results and (folded := fold_llvm(op)) is not None:
            values[op.results[0]] = folded
            done.append(op)
            continue
        lower = _LOWERINGS.get(type(op))
        if lower is None or not _is_expanded(op, profile):
            continue
        spend(10)
        for key, value in op.properties.items():
            if isinstance(value, AffineMapAttr):
                op.properties[key] = refolded_map(value, rules_of(profile.version))
        emit = Emitter(op, values, profile)
        try:
            if not _fold(op, emit):
                lower(op, emit)
        except MatchFailure as refused:
            emit.withdraw()
            left.append(Leftover(op, str(refused)))
        else:
            done.append(op)
    for op in done:
        _check_steps(op, profile)
    for old in list(values):
        old.replace_all_uses_with(_last(values, old))
    for op in reversed(done):
        op.detach()
        op.erase(safe_erase=False)
    return left


def _is_expanded(op: Operation, profile: Profile) -> bool:
    """Return whether the release lowers `op`; only index ops may remain."""
    if isinstance(op, affine.DelinearizeIndexOp):
        return profile.expands_delinearization
    return profile.expands_affine_indices or not isinstance(op, affine.LinearizeIndexOp)


def _check_steps(op: Operation, profile: Profile) -> None:
    """Raise PassError for a loop that is valid in affine, but that scf's verifier rejects."""
    if isinstance(op, affine.ParallelOp):
        steps = [number_of(step) for step in op.steps]
        if not steps:
            reason = "needs at least one tuple element for lowerBound, upperBound and step"
            raise PassError(op, f"'scf.parallel' op {reason}")
        if min(steps) <= 0:
            raise PassError(op, "'scf.parallel' op constant step operand must be positive")
    elif isinstance(op, affine.ForOp) and profile.for_steps_are_verified and op.step.value.data <= 0:
        raise PassError(op, "'scf.for' op constant step operand must be positive")


def _last(values: dict[SSAValue, SSAValue], value: SSAValue) -> SSAValue:
    while value in values:
        value = values[value]
    return value


def _fold(op: Operation, emit: Emitter) -> bool:
    """Replace an op whose map folds to a constant or operand, or a loop that does nothing.

    Returns whether the op was replaced."""
    if not isinstance(op, affine.ApplyOp | affine.MinOp | affine.MaxOp | affine.ForOp):
        return False
    if isinstance(op, affine.ForOp) and trip_count(op) != 0 and not emit.profile.affine_loops_fold:
        return False
    folded = fold(op, emit.profile)
    if folded is None:
        return False
    emit.become([value if isinstance(value, SSAValue) else emit.add(value).results[0] for value in folded])
    return True


def _bound(map: AffineMap, operands: list[SSAValue], profile: Profile) -> tuple[AffineMap, list[SSAValue]]:
    """Return the folded map of a loop bound, and its operands."""
    new, values = canonical(*composed(map, operands), profile)
    results = tuple(dict.fromkeys(simplified(new, profile).results))
    return AffineMap(new.num_dims, new.num_symbols, results), values


def _for(loop: affine.ForOp, emit: Emitter) -> None:
    lower = _bound(loop.lower_bound_map.data, list(loop.lower_bound_operands), emit.profile)
    upper = _bound(loop.upper_bound_map.data, list(loop.upper_bound_operands), emit.profile)
    bounds = [emit.extremum(*lower, largest=True), emit.extremum(*upper, largest=False)]
    step = emit.constant(loop.step.value.data)
    new = scf.ForOp.create(
        operands=[*bounds, step, *emit.all_now(loop.inits)],
        result_types=list(loop.result_types),
        regions=[loop.detach_region(loop.body)],
    )
    emit.become(emit.add(new).results)


def _if(condition: affine.IfOp, emit: Emitter) -> None:
    data = condition.condition.data
    left = AffineMap(data.num_dims, data.num_symbols, tuple(_left_of_zero(each) for each in data.constraints))
    map, operands = canonical(*composed(left, list(condition.set_operands)), emit.profile)
    if any(isinstance(value.owner, affine.ApplyOp) for value in condition.set_operands):
        map = simplified(map, emit.profile)
    values = emit.all_now(operands)
    zero = emit.constant(0)
    holds: SSAValue | None = None
    for constraint, expression in zip(data.constraints, map.results, strict=True):
        value = emit.expression(expression, values, map.num_dims)
        is_equation = constraint.kind is AffineConstraintKind.eq
        part = emit.compare(EQ if is_equation else SGE, value, zero)
        holds = part if holds is None else emit.binary(arith.AndIOp, holds, part)
    regions = [condition.detach_region(region) for region in list(condition.regions)]
    new = scf.IfOp.create(
        operands=[holds if holds is not None else emit.truth()],
        result_types=list(condition.result_types),
        regions=regions,
    )
    emit.become(emit.add(new).results)


def _left_of_zero(constraint: AffineConstraintExpr) -> AffineExpr:
    if constraint.kind is AffineConstraintKind.le:
        return constraint.rhs - constraint.lhs
    return constraint.lhs - constraint.rhs


def _parallel(loop: affine.ParallelOp, emit: Emitter) -> None:
    lower, upper = loop.lower_bounds_map.data, loop.upper_bounds_map.data
    split = lower.num_dims + lower.num_symbols
    operands = list(loop.map_operands)
    bounds: list[SSAValue] = []
    for map, groups, given, largest in (
        (lower, loop.lower_bounds_groups, operands[:split], True),
        (upper, loop.upper_bounds_groups, operands[split:], False),
    ):
        # The bounds of several variables share one map, so duplicate results must not be dropped.
        map, values = canonical(*composed(map, given), emit.profile)
        results = iter(simplified(map, emit.profile).results)
        for size in groups.get_values():
            part = AffineMap(map.num_dims, map.num_symbols, tuple(next(results) for _ in range(int(size))))
            bounds.append(emit.extremum(part, values, largest))
    steps = [emit.constant(number_of(step)) for step in loop.steps]
    kinds = [ATOMIC_KINDS[number_of(each)] for each in loop.reductions]
    inits = [_identity(emit, kind, type) for kind, type in zip(kinds, loop.result_types, strict=True)]
    body = loop.detach_region(loop.body)
    end = body.block.last_op
    assert isinstance(end, affine.YieldOp)
    _end(emit, kinds, end)
    count = len(steps)
    new = scf.ParallelOp.create(
        operands=[*bounds, *steps, *inits],
        result_types=list(loop.result_types),
        regions=[body],
        properties={"operandSegmentSizes": i32_array([count, count, count, len(inits)])},
    )
    emit.become(emit.add(new).results)


def _end(emit: Emitter, kinds: Sequence[str], end: affine.YieldOp) -> None:
    """Insert the terminator of an scf.parallel before `end`.

    Through LLVM 17 this means an scf.reduce for each value, then an scf.yield."""
    block = block_of(end)
    values = list(end.arguments)
    regions = [_reduction(emit, kind, value.type) for kind, value in zip(kinds, values, strict=True)]
    ops: list[Operation]
    if emit.profile.parallel_ends_with_yield:
        pairs = zip(values, regions, strict=True)
        ops = [scf.ReduceOp.create(operands=[value], regions=[region]) for value, region in pairs]
        ops.append(scf.YieldOp())
    else:
        ops = [scf.ReduceOp.create(operands=values, regions=regions)]
    for op in ops:
        op.location = end.location
        block.insert_op_before(op, end)


_REDUCTIONS: dict[str, tuple[type[Operation], Callable[[int], int] | float]] = {
    "addf": (arith.AddfOp, 0.0),
    "mulf": (arith.MulfOp, 1.0),
    "maximumf": (arith.MaximumfOp, float("-inf")),
    "minimumf": (arith.MinimumfOp, float("inf")),
    "maxnumf": (arith.MaxnumfOp, float("nan")),
    "minnumf": (arith.MinnumfOp, float("nan")),
    "addi": (arith.AddiOp, lambda bits: 0),
    "muli": (arith.MuliOp, lambda bits: 1),
    "ori": (arith.OrIOp, lambda bits: 0),
    "xori": (arith.XOrIOp, lambda bits: 0),
    "andi": (arith.AndIOp, lambda bits: -1),
    "maxs": (arith.MaxSIOp, lambda bits: -(1 << (bits - 1))),
    "mins": (arith.MinSIOp, lambda bits: (1 << (bits - 1)) - 1),
    "maxu": (arith.MaxUIOp, lambda bits: 0),
    "minu": (arith.MinUIOp, lambda bits: -1),
}
"""Maps each kind of reduction to its op and its neutral element."""


def _identity(emit: Emitter, kind: str, type: Attribute) -> SSAValue:
    if kind not in _REDUCTIONS:
        raise MatchFailure(f"{kind} has no neutral element")
    _, number = _REDUCTIONS[kind]
    if callable(number):
        if not is_integer(type) and not isinstance(type, IndexType):
            raise MatchFailure(f"{kind} does not apply to {type}")
        number = number(bits_of(type) if is_integer(type) else 64)
    elif not isinstance(type, AnyFloat):
        raise MatchFailure(f"{kind} does not apply to {type}")
    return emit.add(arith.ConstantOp(number_attr(number, type))).results[0]


def _reduction(emit: Emitter, kind: str, type: Attribute) -> Region:
    block = Block(arg_types=[type, type])
    combine, _ = _REDUCTIONS[kind]
    result = emit.append(block, combine.create(operands=list(block.args), result_types=[type]))
    emit.append(block, scf.ReduceReturnOp.create(operands=result.results))
    return Region(block)


def _yield(op: Operation, emit: Emitter) -> None:
    if not isinstance(op.parent_op(), scf.ParallelOp):
        emit.add(scf.YieldOp.create(operands=emit.all_now(list(op.operands))))


def _apply(apply: affine.ApplyOp, emit: Emitter) -> None:
    emit.become(emit.expand(apply.map.data, list(apply.map_operands)))


def _extremum(extremum: affine.MinOp | affine.MaxOp, emit: Emitter) -> None:
    largest = isinstance(extremum, affine.MaxOp)
    emit.become([emit.extremum(extremum.map.data, list(extremum.operands), largest)])


def _access(kind: type[Operation], kept: int) -> Callable[[Operation, Emitter], None]:
    """Return a function that lowers an access; the first `kept` operands are not indices."""

    def lower(op: Operation, emit: Emitter) -> None:
        skip_casts(op)
        map = map_of(op.properties["map"])
        subscripts = emit.expand(map, op.operands[kept:])
        properties = {name: value for name, value in op.properties.items() if name != "map"}
        new = kind.create(
            operands=[*emit.all_now(op.operands[:kept]), *subscripts],
            result_types=list(op.result_types),
            properties=properties,
        )
        emit.become(emit.add(new).results)

    return lower


_LOWERINGS: dict[type[Operation], Callable[[Any, Emitter], None]] = {
    affine.ApplyOp: _apply,
    affine.MinOp: _extremum,
    affine.MaxOp: _extremum,
    affine.ForOp: _for,
    affine.IfOp: _if,
    affine.ParallelOp: _parallel,
    affine.YieldOp: _yield,
    affine.LoadOp: _access(memref.LoadOp, 1),
    affine.StoreOp: _access(memref.StoreOp, 2),
    affine.PrefetchOp: _access(memref.PrefetchOp, 1),
    affine.VectorLoadOp: _access(vector.LoadOp, 1),
    affine.VectorStoreOp: _access(vector.StoreOp, 2),
    affine.DelinearizeIndexOp: delinearize,
    affine.LinearizeIndexOp: linearize,
}
