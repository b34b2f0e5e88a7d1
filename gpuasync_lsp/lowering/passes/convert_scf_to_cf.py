"""`convert-scf-to-cf`: structured control flow becomes blocks and branches, as in mlir-opt.

Source: the output of mlir-opt 16, 19, 22 and 24 `--convert-scf-to-cf` for each op. Ops with regions are
converted outermost first, so that a body is still a single block when its op is converted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.edits import block_of, erase, region_of, replace
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.conversion.folders.scf import turn_branches
from gpuasync_lsp.lowering.conversion.single_blocks import verify_single_blocks
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, cf, scf
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.text.effort import spend

OpT = TypeVar("OpT", bound=Operation)

INDEX_BITS = 64
LOOP_ANNOTATION = "llvm.loop_annotation"


def convert_scf_to_cf(root: Operation, profile: Profile | None = None) -> None:
    """Convert the scf ops inside `root` in place: like `profile`'s release, or for execution if None.

    Raises PassError if the release fails: at scf.forall of tensors, and at ops with a body that must
    remain one block, such as async.execute. For execution, such ops are not converted."""
    for op in list(root.walk()):
        if isinstance(op, scf.ParallelOp) or (isinstance(op, scf.ForallOp) and not op.outputs):
            _loops(op)
        elif isinstance(op, scf.ForallOp) and profile is not None:
            raise PassError(
                op, "failed to legalize operation 'scf.forall' that was explicitly marked illegal"
            )
    for op in _last_first(root):
        if profile is None and _is_nested_in_async(op):
            continue
        if isinstance(op, scf.IndexSwitchOp):
            bits = profile.switch_bits if profile is not None else INDEX_BITS
            if bits:
                _index_switch(op, IntegerType(bits))
            continue
        if isinstance(op, scf.IfOp):
            once = profile is not None and profile.folds_in_place_once
            while turn_branches(op) and not once:
                pass
        convert = _CONVERSIONS.get(type(op))
        if convert is not None:
            convert(op, profile.loop_annotations if profile is not None else "all")
    if profile is not None:
        verify_single_blocks(root, profile)


def _annotated(branch: Operation, op: Operation) -> None:
    """Copy the loop annotations of `op` to `branch`."""
    annotation = op.attributes.get(LOOP_ANNOTATION)
    if annotation is not None:
        branch.attributes[LOOP_ANNOTATION] = annotation


def _for(op: Operation, annotations: str) -> None:
    assert isinstance(op, scf.ForOp)
    before, after = _split(op)
    region = region_of(before)
    body = op.body.blocks[0]
    inits = [op.lb, *op.iter_args]
    header = Block(arg_types=[value.type for value in inits])
    region.insert_block_before(header, after)
    _append(before, cf.BranchOp(header, *inits), op)
    counter, *carried = header.args
    compare = _append(header, _compare(counter, op.ub, op.unsigned_cmp is not None), op)
    moved = _move(body, after, [counter, *carried])
    enter = _append(header, cf.ConditionalBranchOp(compare.results[0], moved, [], after, []), op)
    values = _take_terminator(moved)
    step = _append(moved, _add(counter, op.step), op)
    back = _append(moved, cf.BranchOp(header, step.results[0], *values), op)
    if annotations != "none":
        _annotated(enter if annotations == "condition" else back, op)
    replace(op, carried)


def _if(op: Operation, annotations: str) -> None:
    assert isinstance(op, scf.IfOp)
    before, after = _split(op)
    merge = after
    if op.results:
        merge = Block(arg_types=[result.type for result in op.results])
        region_of(before).insert_block_before(merge, after)
    then = _branch_region(op.true_region, merge, op)
    has_else = bool(op.false_region.blocks)
    otherwise = _branch_region(op.false_region, merge, op) if has_else else merge
    _append(before, cf.ConditionalBranchOp(op.cond, then, [], otherwise, []), op)
    if op.results:
        _append(merge, cf.BranchOp(after), op)
    replace(op, merge.args if op.results else ())


def _while(op: Operation, annotations: str) -> None:
    assert isinstance(op, scf.WhileOp)
    before, after = _split(op)
    condition_block = _move_whole(op.before_region.blocks[0], after)
    _append(before, cf.BranchOp(condition_block, *op.arguments), op)
    condition = condition_block.last_op
    assert isinstance(condition, scf.ConditionOp)
    passed = list(condition.args)
    body = op.after_region.blocks[0]
    # If the loop body only yields its arguments (do ... while), the condition block branches to itself.
    only = body.first_op
    is_do_while = isinstance(only, scf.YieldOp) and tuple(only.operands) == tuple(body.args)
    again = condition_block if is_do_while else _move_whole(body, after)
    branch: Operation = cf.ConditionalBranchOp(condition.condition, again, passed, after, [])
    branch.location = condition.location
    erase(condition)
    condition_block.add_op(branch)
    if not is_do_while:
        values = _take_terminator(body)
        branch = _append(body, cf.BranchOp(condition_block, *values), op)
    if annotations == "all":
        _annotated(branch, op)
    replace(op, passed)


def _execute_region(op: Operation, annotations: str) -> None:
    assert isinstance(op, scf.ExecuteRegionOp)
    before, after = _split(op)
    results = [after.insert_arg(result.type, number) for number, result in enumerate(op.results)]
    blocks = list(op.region.blocks)
    for block in blocks:
        _move_whole(block, after)
        if isinstance(block.last_op, scf.YieldOp):
            values = _take_terminator(block)
            _append(block, cf.BranchOp(after, *values), op)
    _append(before, cf.BranchOp(blocks[0]), op)
    replace(op, results)


def _index_switch(op: scf.IndexSwitchOp, flag_type: IntegerType) -> None:
    before, after = _split(op)
    results = [after.insert_arg(result.type, number) for number, result in enumerate(op.results)]
    cases = [_branch_region(region, after, op) for region in op.case_regions]
    default = _branch_region(op.default_region, after, op)
    flag = _append(before, arith.IndexCastOp.create(operands=[op.arg], result_types=[flag_type]), op)
    numbers = integers(op.cases)
    targets: list[cf.Case] = [(number, block, ()) for number, block in zip(numbers, cases, strict=True)]
    _append(before, cf.SwitchOp(flag.results[0], default, [], targets), op)
    replace(op, results)


def _loops(op: scf.ParallelOp | scf.ForallOp) -> None:
    """Replace a parallel loop with nested scf.for ops, first dimension outermost; inline its reductions."""
    if isinstance(op, scf.ForallOp):
        lower_bound = _values(op, op.dynamic_lower_bound, op.static_lower_bound)
        upper_bound = _values(op, op.dynamic_upper_bound, op.static_upper_bound)
        steps = _values(op, op.dynamic_step, op.static_step)
        carried: list[SSAValue] = []
        body = op.region.blocks[0]
    else:
        lower_bound, upper_bound, steps = op.lower_bound, op.upper_bound, op.step
        carried = list(op.init_vals)
        body = op.body.blocks[0]
    outer: scf.ForOp | None = None
    block: Block | None = None
    counters: list[SSAValue] = []
    for lower, upper, step in zip(lower_bound, upper_bound, steps, strict=True):
        inner = Block(arg_types=[lower.type, *(value.type for value in carried)])
        loop = scf.ForOp.create(
            operands=[lower, upper, step, *carried],
            result_types=[value.type for value in carried],
            regions=[Region(inner)],
        )
        loop.location = op.location
        if block is None:
            outer = loop
            parent = block_of(op)
            parent.insert_op_before(loop, op)
        else:
            block.add_op(loop)
            _append(block, scf.YieldOp.create(operands=loop.results), op)
        counters.append(inner.args[0])
        carried = list(inner.args[1:])
        block = inner
    assert outer is not None
    assert block is not None
    for argument, counter in zip(list(body.args), counters, strict=True):
        argument.replace_all_uses_with(counter)
    for inner_op in list(body.ops):
        inner_op.detach()
        if isinstance(inner_op, scf.InParallelOp):
            inner_op.erase()
            continue
        if not isinstance(inner_op, scf.ReduceOp):
            block.add_op(inner_op)
            continue
        _append(block, scf.YieldOp.create(operands=_reduced(inner_op, carried, block)), op)
    if not isinstance(block.last_op, scf.YieldOp):
        _append(block, scf.YieldOp.create(operands=carried), op)
    replace(op, outer.results)


def _values(op: scf.ForallOp, dynamic: Sequence[SSAValue], static: DenseArrayBase) -> list[SSAValue]:
    """Return loop bounds as values; static ones become constants before `op`."""
    given = iter(dynamic)
    values: list[SSAValue] = []
    block = block_of(op)
    for number in integers(static):
        if number == DYNAMIC_INDEX:
            values.append(next(given))
            continue
        constant = integer(number, IndexType())
        constant.location = op.location
        block.insert_op_before(constant, op)
        values.append(constant.results[0])
    return values


def _reduced(reduce: scf.ReduceOp, carried: Sequence[SSAValue], block: Block) -> list[SSAValue]:
    """Inline the reductions of `reduce` at the end of `block`; return the values that replace `carried`."""
    results: list[SSAValue] = []
    for value, current, region in zip(reduce.args, carried, reduce.reductions, strict=True):
        body = region.blocks[0]
        left, right = body.args
        left.replace_all_uses_with(current)
        right.replace_all_uses_with(value)
        for inner in list(body.ops):
            inner.detach()
            if isinstance(inner, scf.ReduceReturnOp):
                results.append(inner.result)
                inner.erase()
            else:
                block.add_op(inner)
    reduce.erase()
    return results


_CONVERSIONS: dict[type[Operation], Callable[[Operation, str], None]] = {
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.WhileOp: _while,
    scf.ExecuteRegionOp: _execute_region,
}


def _is_nested_in_async(op: Operation) -> bool:
    """Return whether `op` is directly in async.execute, whose body must remain one block."""
    parent = op.parent_op()
    return parent is not None and parent.name == "async.execute"


def _last_first(root: Operation) -> list[Operation]:
    """Return `root` and the ops inside it, each after its parent op and before the ops that precede it.

    Blocks are split at converted ops; in this order each op is moved at most once per level."""
    found: list[Operation] = []
    work = [root]
    while work:
        op = work.pop()
        found.append(op)
        work += (inner for region in op.regions for block in region.blocks for inner in block.ops)
    return found


def _split(op: Operation) -> tuple[Block, Block]:
    """Split the block of `op` before it; return both blocks."""
    block = block_of(op)
    rest = Block()
    region_of(block).insert_block_after(rest, block)
    moved: Operation | None = op
    while moved is not None:
        following = moved.next_op
        moved.detach()
        rest.add_op(moved)
        spend()
        moved = following
    return block, rest


def _append(block: Block, op: OpT, source: Operation) -> OpT:
    op.location = source.location
    block.add_op(op)
    return op


def _move(block: Block, before: Block, arguments: Sequence[SSAValue]) -> Block:
    """Move `block` before another block, and replace its arguments with `arguments`."""
    for argument, value in zip(list(block.args), arguments, strict=True):
        argument.replace_all_uses_with(value)
        block.erase_arg(argument)
    return _move_whole(block, before)


def _move_whole(block: Block, before: Block) -> Block:
    region_of(block).detach_block(block)
    region_of(before).insert_block_before(block, before)
    return block


def _branch_region(region: Region, merge: Block, op: Operation) -> Block:
    """Move a single-block region before `merge`, and branch to `merge` with the yielded values."""
    if not region.blocks[0].ops:
        _append(region.blocks[0], scf.YieldOp.create(), op)
    block = _move_whole(region.blocks[0], merge)
    values = _take_terminator(block)
    _append(block, cf.BranchOp(merge, *values), op)
    return block


def _take_terminator(block: Block) -> list[SSAValue]:
    terminator = block.last_op
    if not isinstance(terminator, scf.YieldOp):
        return []
    values = list(terminator.operands)
    erase(terminator)
    return values


def _compare(left: SSAValue, right: SSAValue, unsigned: bool) -> Operation:
    properties: dict[str, Attribute] = {"predicate": IntegerAttr(6 if unsigned else 2, 64)}
    return arith.CmpiOp.create(operands=[left, right], result_types=[i1], properties=properties)


def _add(left: SSAValue, right: SSAValue) -> Operation:
    properties: dict[str, Attribute] = {"overflowFlags": arith.NO_OVERFLOW}
    return arith.AddiOp.create(operands=[left, right], result_types=[left.type], properties=properties)
