"""What 22 and later do to a module before they convert it: one greedy rewrite.

gpu-to-llvm of these releases first runs a greedy rewrite for vector transfers. Its driver also moves
constants to the front of their function and shares them, folds ops, erases what is dead (an unused gpu.alloc
among it), drops block arguments that always carry one value, and merges equal blocks. Measured in 22 and 24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, MemoryEffectKind, SymbolOpInterface, get_effects

from gpuasync_lsp.lowering.folding import fold
from gpuasync_lsp.syntax.dialects import arith, cf, gpu, llvm, memref
from gpuasync_lsp.syntax.dialects.assembly import i32_array, integers

CONSTANTS = (arith.ConstantOp, llvm.ConstantOp, llvm.ZeroOp, llvm.UndefOp, llvm.PoisonOp)
ALLOCATING_OR_READING = (gpu.AllocOp, memref.AllocOp, memref.AllocaOp, memref.LoadOp, llvm.LoadOp)
HARMLESS = frozenset({MemoryEffectKind.ALLOC, MemoryEffectKind.READ})
MAX_ROUNDS = 10


def simplify(
    module: Operation, *, merge_blocks: bool = True, rewrite: Callable[[Operation], bool] | None = None
) -> None:
    """Rewrite `module` in place as the greedy driver does.

    `rewrite` is tried on each op and tells whether it changed something."""
    share_constants(module)
    for _ in range(MAX_ROUNDS):
        changed = fold_all(module)
        for op in list(module.walk()) if rewrite is not None else ():
            changed |= op.parent is not None and rewrite is not None and rewrite(op)
        changed |= erase_dead(module)
        for region in [region for op in module.walk() for region in op.regions]:
            changed |= _simplify_region(region, merge_blocks)
        if not changed:
            return


def share_constants(module: Operation) -> None:
    """Move each constant to the front of its function, once for each value and type.

    A constant that stands at the front or after one that was handled stays; the others are moved to the very
    front, so that they end up in reverse order."""
    known: dict[tuple[Region, str, Attribute | None, Attribute], Operation] = {}
    handled: set[Operation] = set()
    for op in list(module.walk()):
        if not isinstance(op, CONSTANTS) or op.parent is None:
            continue
        region = _isolated_region(op)
        key = (region, op.name, op.get_attr_or_prop("value"), op.results[0].type)
        first = known.setdefault(key, op)
        if first is not op:
            op.results[0].replace_all_uses_with(first.results[0])
            _erase(op)
            continue
        front = region.first_block
        assert front is not None
        assert front.first_op is not None
        if op.parent is not front or (front.first_op is not op and op.prev_op not in handled):
            op.detach()
            front.insert_op_before(op, front.first_op)
        handled.add(op)


def fold_all(module: Operation) -> bool:
    """Replace ops that fold to a value that is there already or to a constant; tell whether there was one."""
    changed = False
    for op in list(module.walk()):
        values = fold(op)
        if values is None:
            continue
        replacements = [
            _materialize(op, value) if isinstance(value, arith.ConstantOp) else value for value in values
        ]
        for result, value in zip(op.results, replacements, strict=True):
            result.replace_all_uses_with(value)
        _erase(op)
        changed = True
    return changed


def erase_dead(module: Operation) -> bool:
    """Erase ops whose results nobody uses and that do nothing else; tell whether there was one."""
    dead = [op for op in module.walk(reverse=True, region_first=True) if op is not module]
    changed = False
    for op in dead:
        if op.parent is not None and _is_dead(op):
            _erase(op)
            changed = True
    return changed


def _is_dead(op: Operation) -> bool:
    if any(result.first_use is not None for result in op.results):
        return False
    if op.has_trait(IsTerminator) or op.has_trait(SymbolOpInterface):
        return False
    return _is_harmless(op)


def _is_harmless(op: Operation) -> bool:
    """Tell whether `op` does nothing but allocate or read memory."""
    if isinstance(op, ALLOCATING_OR_READING):
        return True
    if isinstance(op, gpu.LaunchOp):
        return all(inner.has_trait(IsTerminator) or _is_harmless(inner) for inner in _ops_of(op))
    effects = get_effects(op)
    return effects is not None and all(effect.kind in HARMLESS for effect in effects)


def _simplify_region(region: Region, merge_blocks: bool) -> bool:
    if region.first_block is region.last_block:
        return False
    changed = _erase_unreachable(region)
    changed |= _drop_dead_arguments(region)
    if merge_blocks:
        changed |= _merge_equal_blocks(region)
    return changed | _drop_redundant_arguments(region)


def _erase_unreachable(region: Region) -> bool:
    assert region.first_block is not None
    reached = {region.first_block}
    pending = [region.first_block]
    while pending:
        for successor in _successors(pending.pop()):
            if successor not in reached:
                reached.add(successor)
                pending.append(successor)
    unreachable = [block for block in region.blocks if block not in reached]
    for block in unreachable:
        for op in block.ops:
            op.drop_all_references()
    for block in unreachable:
        region.erase_block(block, safe_erase=False)
    return bool(unreachable)


def _drop_dead_arguments(region: Region) -> bool:
    """Drop arguments that only feed branches to dead arguments."""
    live: set[SSAValue] = set()
    arguments = [argument for block in _inner_blocks(region) for argument in block.args]
    changed = True
    while changed:
        changed = False
        for argument in arguments:
            if argument not in live and any(
                target is None or target in live for target in _targets_of_uses(argument)
            ):
                live.add(argument)
                changed = True
    dead = [argument for argument in arguments if argument not in live]
    for argument in reversed(dead):
        _drop_argument(argument)
    return bool(dead)


def _targets_of_uses(value: SSAValue) -> Iterator[SSAValue | None]:
    """Yield, for each use, the block argument that it feeds; None for a use that is no branch operand."""
    for use in value.uses:
        yield _fed_argument(use.operation, use.index)


def _drop_redundant_arguments(region: Region) -> bool:
    """Replace arguments for which every branch brings the same value."""
    changed = False
    for block in _inner_blocks(region):
        for argument in reversed(block.args):
            incoming = [_incoming(branch, number, argument.index) for branch, number in _branches_to(block)]
            if incoming and incoming[0] is not None and all(value is incoming[0] for value in incoming):
                argument.replace_all_uses_with(incoming[0])
                _drop_argument(argument)
                changed = True
    return changed


def _merge_equal_blocks(region: Region) -> bool:
    """Redirect branches to a block that equals an earlier one to the earlier one."""
    kept: list[Block] = []
    changed = False
    for block in list(_inner_blocks(region)):
        twin = next((other for other in kept if _are_equal(other, block)), None)
        if twin is None:
            kept.append(block)
            continue
        for branch, number in list(_branches_to(block)):
            branch.successors[number] = twin
        for op in block.ops:
            op.drop_all_references()
        region.erase_block(block, safe_erase=False)
        changed = True
    return changed


def _are_equal(a: Block, b: Block) -> bool:
    """Tell whether two blocks do the same, with values of their own and no results used elsewhere."""
    if [argument.type for argument in a.args] != [argument.type for argument in b.args]:
        return False
    same: dict[SSAValue, SSAValue] = dict(zip(b.args, a.args, strict=True))
    ops_a, ops_b = list(a.ops), list(b.ops)
    if len(ops_a) != len(ops_b):
        return False
    for op_a, op_b in zip(ops_a, ops_b, strict=True):
        if (
            op_a.name != op_b.name
            or op_a.regions
            or op_b.regions
            or op_a.properties != op_b.properties
            or op_a.attributes != op_b.attributes
            or list(op_a.successors) != list(op_b.successors)
            or list(op_a.result_types) != list(op_b.result_types)
            or list(op_a.operands) != [same.get(value, value) for value in op_b.operands]
        ):
            return False
        same.update(zip(op_b.results, op_a.results, strict=True))
    return not any(
        use.operation.parent is not block
        for block in (a, b)
        for op in block.ops
        for r in op.results
        for use in r.uses
    )


# Branches. An op with successors that is none of cf's is opaque here: its operands feed nothing known.


def _incoming(branch: Operation, successor: int, index: int) -> SSAValue | None:
    operands = _branch_operands(branch)
    return None if operands is None else branch.operands[operands[successor] + index]


def _fed_argument(op: Operation, index: int) -> BlockArgument | None:
    operands = _branch_operands(op)
    if operands is None:
        return None
    for start, block in zip(reversed(operands), reversed(op.successors), strict=True):
        if index >= start:
            return block.args[index - start] if index - start < len(block.args) else None
    return None


def _branch_operands(op: Operation) -> list[int] | None:
    """Return, for each successor, the number of the first operand that goes to it."""
    if isinstance(op, cf.BranchOp):
        return [0]
    if isinstance(op, cf.ConditionalBranchOp):
        return [1, 1 + len(op.then_arguments)]
    if isinstance(op, cf.SwitchOp):
        starts = [1, 1 + len(op.default_operands)]
        for group in op.case_operand:
            starts.append(starts[-1] + len(group))
        return starts[:-1]
    return None


def _remove_operand(branch: Operation, successor: int, index: int) -> None:
    """Take the operand for argument `index` of a successor out of a branch, in place."""
    starts = _branch_operands(branch)
    assert starts is not None
    position = starts[successor] + index
    branch.operands = [value for number, value in enumerate(branch.operands) if number != position]
    if isinstance(branch, cf.ConditionalBranchOp):
        _shrink(branch, "operandSegmentSizes", 1 + successor)
    elif isinstance(branch, cf.SwitchOp):
        _shrink(branch, "operandSegmentSizes", 1 if successor == 0 else 2)
        if successor:
            _shrink(branch, "case_operand_segments", successor - 1)


def _shrink(op: Operation, name: str, position: int) -> None:
    sizes = list(integers(cast(DenseArrayBase, op.properties[name])))
    sizes[position] -= 1
    op.properties[name] = i32_array(sizes)


def _drop_argument(argument: BlockArgument) -> None:
    for branch, number in list(_branches_to(argument.block)):
        _remove_operand(branch, number, argument.index)
    argument.block.erase_arg(argument, safe_erase=False)


def _branches_to(block: Block) -> Iterator[tuple[Operation, int]]:
    region = block.parent
    assert region is not None
    for other in region.blocks:
        if other.last_op is not None:
            for number, successor in enumerate(other.last_op.successors):
                if successor is block:
                    yield other.last_op, number


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []


def _inner_blocks(region: Region) -> Iterator[Block]:
    """Yield the blocks that only branches lead to, if all those branches are known ones."""
    for block in list(region.blocks)[1:]:
        if block.parent is region and all(_branch_operands(branch) for branch, _ in _branches_to(block)):
            yield block


def _isolated_region(op: Operation) -> Region:
    region = op.parent_region()
    while region is not None and region.parent is not None and not region.parent.has_trait(IsolatedFromAbove):
        region = region.parent.parent_region()
    assert region is not None
    return region


def _materialize(op: Operation, constant: arith.ConstantOp) -> SSAValue:
    """Put a constant that `op` folded to at the front of the function, unless one like it is there."""
    front = _isolated_region(op).first_block
    assert front is not None
    assert front.first_op is not None
    for other in front.ops:
        if not isinstance(other, CONSTANTS):
            break
        if isinstance(other, arith.ConstantOp) and other.value == constant.value:
            return other.result
    constant.location = op.location
    front.insert_op_before(constant, front.first_op)
    return constant.result


def _ops_of(op: Operation) -> Iterator[Operation]:
    return (inner for region in op.regions for inner in region.walk())


def _erase(op: Operation) -> None:
    op.detach()
    op.erase(safe_erase=False)
