"""The patterns of the scf dialect. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp.

The patterns for values forwarded through loops and branches are in `region_branch.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import block_of, insert_before, region_of, replace
from gpuasync_lsp.lowering.conversion.folders import constant_int
from gpuasync_lsp.lowering.conversion.folders.scf import negated
from gpuasync_lsp.lowering.passes.canonicalize.patterns.region_branch import pass_less, pass_less_newly
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import (
    Patterns,
    constant_true,
    end_of,
    inline,
    is_empty,
    is_inside,
    is_well_formed,
    take_out,
)
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, cf, func, gpu, scf
from gpuasync_lsp.syntax.dialects.assembly import integers

# scf.if


def _know_condition(branch: scf.IfOp, _: Profile) -> bool:
    known = constant_int(branch.cond)
    if known is None:
        return False
    region = branch.true_region if known else branch.false_region
    return inline(branch, region.block) if region.blocks else replace(branch, [])


def _drop_empty_else(branch: scf.IfOp, _: Profile) -> bool:
    if branch.results or not branch.false_region.blocks or not is_empty(branch.false_region.block):
        return False
    branch.false_region.erase_block(branch.false_region.block)
    return True


def _propagate_condition(branch: scf.IfOp, _: Profile) -> bool:
    """Replace uses of the condition inside the branches with constants."""
    changed = False
    if constant_int(branch.cond) is not None:
        return False  # Replacing a constant with an equal one would never end.
    # MLIR visits the last use first.
    for value, region in ((False, branch.false_region), (True, branch.true_region)):
        known: SSAValue | None = None
        for use in list(branch.cond.uses):
            if _is_within(use.operation, region):
                known = known or constant_true(branch, value)
                use.operation.operands[use.index] = known
                changed = True
    return changed


def _is_within(op: Operation, region: Region) -> bool:
    inner = op.parent_region()
    while inner is not None and inner is not region:
        parent = inner.parent
        inner = None if parent is None else parent.parent_region()
    return inner is region


def _yield_condition(branch: scf.IfOp, _: Profile) -> bool:
    """Replace a result that is true in one branch and false in the other with the (negated) condition."""
    changed = False
    for result, if_true, if_false in _yields(branch):
        known = constant_int(if_true), constant_int(if_false)
        if not result.first_use or result.type != branch.cond.type or {*known} not in ({0, 1}, {0, -1}):
            continue
        value = branch.cond
        if not known[0]:
            value = insert_before(branch, arith.XOrIOp(value, constant_true(branch))).results[0]
        result.replace_all_uses_with(value)
        changed = True
    return changed


def _select(branch: scf.IfOp, _: Profile) -> bool:
    """Replace a result with an arith.select if both yielded values are defined outside."""
    outside = [
        (result, a, b)
        for result, a, b in _yields(branch)
        if not is_inside(a, [branch.true_region]) and not is_inside(b, [branch.false_region])
    ]
    found = False
    for result, if_true, if_false in outside:
        if not result.first_use:
            continue
        chosen = if_true
        if if_true is not if_false:
            chosen = insert_before(branch, arith.SelectOp(branch.cond, if_true, if_false)).results[0]
        result.replace_all_uses_with(chosen)
        found = True
    return found


def _yields(branch: scf.IfOp) -> list[tuple[SSAValue, SSAValue, SSAValue]]:
    """Return, for each result, the result and the values that both branches yield for it."""
    if not branch.results:
        return []
    yields = end_of(branch.true_region).operands, end_of(branch.false_region).operands
    return list(zip(branch.results, *yields, strict=True))


def _combine(second: scf.IfOp, _: Profile) -> bool:
    """Combine two consecutive scf.if ops with the same condition or with opposite conditions."""
    first = second.prev_op
    if not isinstance(first, scf.IfOp) or not is_well_formed(first):
        return False
    if second.cond is first.cond:
        then, other = second.true_region, second.false_region
    elif negated(second.cond) is first.cond or negated(first.cond) is second.cond:
        then, other = second.false_region, second.true_region
    else:
        return False
    for result, if_true, if_false in _yields(first):
        for use in list(result.uses):
            if _is_within(use.operation, then):
                use.operation.operands[use.index] = if_true
            elif _is_within(use.operation, other):
                use.operation.operands[use.index] = if_false
    regions = [_joined(first.true_region, then), _joined(first.false_region, other)]
    types: list[Attribute] = [result.type for result in (*first.results, *second.results)]
    joined = scf.IfOp.create(operands=[first.cond], result_types=types, regions=regions)
    insert_before(second, joined)
    replace(first, joined.results[: len(first.results)])
    return replace(second, joined.results[len(joined.results) - len(second.results) :])


def _joined(first: Region, second: Region) -> Region:
    """Return a region with the ops of both regions that yields the values of both."""
    region = Region()
    if not first.blocks or not second.blocks:
        (first if first.blocks else second).move_blocks(region)
        return region
    first.move_blocks(region)
    end = end_of(region)
    yielded = take_out(second.block, end)
    end.operands = [*end.operands, *yielded]
    return region


def _combine_nested(outer: scf.IfOp, _: Profile) -> bool:
    """Combine an scf.if with the only op inside it, another scf.if; the new condition is the conjunction."""
    inner = outer.true_region.block.first_op
    if (
        not isinstance(inner, scf.IfOp)
        or inner.next_op is not end_of(outer.true_region)
        or not is_well_formed(inner)
    ):
        return False
    if not (_only_yields(outer.false_region) and _only_yields(inner.false_region)):
        return False
    if_false = list(end_of(outer.false_region).operands) if outer.false_region.blocks else []
    if_true = list(end_of(outer.true_region).operands)
    selected: dict[int, SSAValue] = {}
    for index, (value, otherwise) in enumerate(zip(if_true, if_false, strict=True)):
        if isinstance(value, OpResult) and value.op is inner:
            if end_of(inner.false_region).operands[value.index] is not otherwise:
                return False
            if_true[index] = end_of(inner.true_region).operands[value.index]
        elif is_inside(value, [outer.true_region]):
            return False
        else:
            selected[index] = value
    both = insert_before(outer, arith.AndIOp(outer.cond, inner.cond)).results[0]
    new = scf.IfOp.create(
        operands=[both],
        result_types=list(outer.result_types),
        regions=[Region(), Region()],
        attributes=dict(outer.attributes),
    )
    insert_before(outer, new)
    results: list[SSAValue] = list(new.results)
    for index, value in selected.items():
        results[index] = insert_before(new, arith.SelectOp(outer.cond, value, if_false[index])).results[0]
    inner.true_region.move_blocks(new.true_region)
    end_of(new.true_region).operands = if_true
    if if_false:
        outer.false_region.move_blocks(new.false_region)
    return replace(outer, results)


def _only_yields(region: Region) -> bool:
    return not region.blocks or is_empty(region.block)


# Loops


def _run_trivial_loop(loop: scf.ForOp, profile: Profile) -> bool:
    """Fold a loop with no iteration, with one, or whose iterations have no effect."""
    block = loop.body.block
    if loop.lb is loop.ub:
        return replace(loop, list(loop.iter_args))
    unsigned = loop.unsigned_cmp is not None
    difference = _difference(loop.lb, loop.ub, profile, unsigned)
    rounds = _trip_count(loop.lb, loop.ub, loop.step, difference, unsigned)
    if profile.runs_single_steps and constant_int(loop.lb) == 0 and loop.ub is loop.step:
        rounds = 1
    if rounds == 0:
        return replace(loop, list(loop.iter_args))
    if rounds == 1:
        return inline(loop, block, [loop.lb, *loop.iter_args])
    if rounds is None or not is_empty(block):
        return False
    yielded = list(end_of(loop.body).operands)
    return not any(is_inside(value, loop.regions) for value in yielded) and replace(loop, yielded)


def _trip_count(
    lower: SSAValue, upper: SSAValue, step: SSAValue, difference: int | None, unsigned: bool = False
) -> int | None:
    """Return the trip count, capped at 2; None if neither the bounds nor their difference is constant."""
    a, b = constant_int(lower), constant_int(upper)
    if a is None or b is None:
        a, b = 0, difference
    if b is None:
        return None
    width = constant_int(step)
    if unsigned:
        type: Attribute = lower.type
        bits = 1 << (type.bitwidth if isinstance(type, IntegerType) else 64)
        a, b, width = a % bits, b % bits, None if width is None else width % bits
    if b <= a:
        return 0
    if width is None or width <= 0:
        return None
    return 1 if b - a <= width else 2


def _difference(lower: SSAValue, upper: SSAValue, profile: Profile, unsigned: bool = False) -> int | None:
    """Return the constant c if `upper` is defined as `lower + c`, otherwise None."""
    add = upper.owner
    if not isinstance(add, arith.AddiOp):
        return None
    found = add.properties.get("overflowFlags")
    flags = found.data if isinstance(found, arith.IntegerOverflowFlagsAttr) else ()
    if not profile.differences_without_flags and ("nuw" if unsigned else "nsw") not in flags:
        return None
    if add.lhs is lower:
        return constant_int(add.rhs)
    return constant_int(add.lhs) if add.rhs is lower else None


def _drop_single_iterations(loop: scf.ParallelOp, profile: Profile) -> bool:
    """Drop dimensions of scf.parallel that have one iteration; fold a loop with an empty dimension."""
    bounds = list(zip(loop.lower_bound, loop.upper_bound, loop.step, strict=True))
    by_flags = not profile.differences_without_flags
    known = [_difference(lower, upper, profile) if by_flags else None for lower, upper, _ in bounds]
    rounds = [_trip_count(*each, difference) for each, difference in zip(bounds, known, strict=True)]
    if not isinstance(end_of(loop.body), scf.ReduceOp):
        return False
    if 0 in rounds:
        return replace(loop, list(loop.init_vals))
    kept = [index for index, count in enumerate(rounds) if count != 1]
    if len(kept) == len(rounds):
        return False
    block = loop.body.block
    for index in reversed(range(len(rounds))):
        if index not in kept:
            block.args[index].replace_all_uses_with(loop.lower_bound[index])
            block.erase_arg(block.args[index])
    if not kept:
        return _reduce_once(loop)
    new = scf.ParallelOp(
        operands=[
            *(
                [values[index] for index in kept]
                for values in (loop.lower_bound, loop.upper_bound, loop.step)
            ),
            list(loop.init_vals),
        ],
        result_types=[list(loop.result_types)],
        regions=[loop.detach_region(loop.body)],
        attributes=dict(loop.attributes),
    )
    insert_before(loop, new)
    return replace(loop, new.results)


def _reduce_once(loop: scf.ParallelOp) -> bool:
    """Inline an scf.parallel with one iteration; each result combines the initial and the reduced value."""
    end = end_of(loop.body)
    given = take_out(loop.body.block, loop)
    results = [
        take_out(region.block, loop, [initial, value])[0]
        for region, initial, value in zip(end.regions, loop.init_vals, given, strict=True)
    ]
    return replace(loop, results)


def _merge_nested(loop: scf.ParallelOp, _: Profile) -> bool:
    """Merge perfectly nested scf.parallel loops if the inner bounds do not depend on the outer loop."""
    inner = loop.body.block.first_op
    if not isinstance(inner, scf.ParallelOp) or inner.next_op is not end_of(loop.body):
        return False
    counters = loop.body.block.args
    bounds = (*inner.lower_bound, *inner.upper_bound, *inner.step)
    if loop.init_vals or inner.init_vals or any(value in counters for value in bounds):
        return False
    body = inner.detach_region(inner.body)
    for index, counter in enumerate(counters):
        counter.replace_all_uses_with(body.block.insert_arg(counter.type, index))
    merged = scf.ParallelOp(
        operands=[
            [*loop.lower_bound, *inner.lower_bound],
            [*loop.upper_bound, *inner.upper_bound],
            [*loop.step, *inner.step],
            [],
        ],
        result_types=[[]],
        regions=[body],
    )
    insert_before(loop, merged)
    return replace(loop, [])


def _know_looping(loop: scf.WhileOp, _: Profile) -> bool:
    """In the second region of scf.while, replace arguments that receive the loop condition with true."""
    condition = end_of(loop.before_region)
    changed = False
    for value, argument in zip(condition.operands[1:], loop.after_region.block.args, strict=True):
        if value is condition.operands[0] and argument.first_use is not None:
            argument.replace_all_uses_with(constant_true(loop))
            changed = True
    return changed


# Other regions


def _inline_region(region: scf.ExecuteRegionOp, _: Profile) -> bool:
    """Inline an scf.execute_region with one block, or, directly in a function, with several blocks."""
    if region.no_inline is not None:
        return False
    blocks = list(region.region.blocks)
    if len(blocks) == 1:
        return inline(region, blocks[0])
    if not isinstance(region.parent_op(), func.FuncOp | gpu.GPUFuncOp | scf.ExecuteRegionOp):
        return False
    after = _split_after(region)
    for block in blocks:
        end = block.last_op
        if isinstance(end, scf.YieldOp):
            insert_before(end, cf.BranchOp(after, *end.operands))
            replace(end, [])
    insert_before(region, cf.BranchOp(blocks[0]))
    region.region.move_blocks_before(after)
    arguments: Sequence[SSAValue] = [
        after.insert_arg(result.type, index) for index, result in enumerate(region.results)
    ]
    return replace(region, arguments)


def _split_after(op: Operation) -> Block:
    """Move the ops after `op` to a new block; return it."""
    block = block_of(op)
    region = region_of(block)
    after = Block()
    region.insert_block_after(after, block)
    while op.next_op is not None:
        following = op.next_op
        following.detach()
        after.add_op(following)
    return after


def _know_case(switch: scf.IndexSwitchOp, profile: Profile) -> bool:
    known = constant_int(switch.arg)
    if known is None or not profile.newer_scf_patterns:
        return False
    cases = dict(zip(integers(switch.cases), switch.case_regions, strict=True))
    return inline(switch, cases.get(known, switch.default_region).block)


PATTERNS: Patterns = {
    scf.IfOp: (
        _combine,
        _combine_nested,
        _propagate_condition,
        _select,
        _drop_empty_else,
        _know_condition,
        _yield_condition,
        pass_less,
    ),
    scf.ForOp: (_run_trivial_loop, pass_less),
    scf.ParallelOp: (_drop_single_iterations, _merge_nested),
    scf.WhileOp: (_know_looping, pass_less),
    scf.ExecuteRegionOp: (_inline_region, pass_less_newly),
    scf.IndexSwitchOp: (_know_case, pass_less_newly),
}
