"""The greedy rewrite that gpu-to-llvm of LLVM 20 and later runs on a module before the conversion.

Its patterns are for vector transfers. The driver also moves constants to the front of their function and
merges equal ones, folds ops, erases dead ones (an unused gpu.alloc among them), drops block arguments that
always have the same value, and merges equal blocks. Measured in LLVM 21 to 24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import cast

from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface

from gpuasync_lsp.lowering.conversion.edits import insert_before, region_of
from gpuasync_lsp.lowering.conversion.folders import fold
from gpuasync_lsp.lowering.conversion.folders.arith import skip_inner_cast
from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.conversion.folders.gpu import find_uniform
from gpuasync_lsp.lowering.conversion.folders.llvm import fold_llvm, fold_to_llvm_constant
from gpuasync_lsp.lowering.conversion.folders.memref import known_metadata, skip_casts
from gpuasync_lsp.lowering.conversion.folders.scf import turn_branches
from gpuasync_lsp.lowering.conversion.folders.vector import mark_in_bounds
from gpuasync_lsp.releases import Profile, profile
from gpuasync_lsp.syntax import OpaqueOp
from gpuasync_lsp.syntax.dialects import cf, llvm, memref
from gpuasync_lsp.syntax.dialects.assembly import i32_array, integers
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.ods.table import entry
from gpuasync_lsp.text.effort import spend

CONSTANTS = frozenset(
    (
        "arith.constant",
        "complex.constant",
        "func.constant",
        "index.constant",
        "index.bool.constant",
        "llvm.mlir.addressof",
        "llvm.mlir.constant",
        "llvm.mlir.zero",
        "llvm.mlir.undef",
        "llvm.mlir.poison",
        "ub.poison",
    )
)
"""Names of constant ops; comparing classes would import the complex dialect for every file."""
_CONSTANTS_SINCE_19 = frozenset({"llvm.mlir.addressof", "llvm.mlir.undef", "llvm.mlir.zero"})
MAX_ROUNDS = 10
Merged = dict[Operation, Operation]
"""Maps each op of a merged block to its equivalent in the remaining block."""


def constants_of(version: int) -> frozenset[str]:
    """Return the names of the ops that are `ConstantLike` in LLVM `version`."""
    return CONSTANTS if profile(version).llvm_symbols_are_constants else CONSTANTS - _CONSTANTS_SINCE_19


def simplify(
    module: Operation,
    profile: Profile,
    *,
    merge_blocks: bool = True,
    rewrite: Callable[[Operation], bool] | None = None,
    merged: Merged | None = None,
) -> None:
    """Rewrite `module` in place like MLIR's greedy driver.

    `rewrite` is called for each op and returns whether it changed something. Ops of merged blocks are
    added to `merged`, each with its equivalent in the remaining block."""
    settled: set[Operation] | None = None
    for _ in range(MAX_ROUNDS):
        known = (
            share_constants(module, profile)
            if settled is None
            else _hoist_constants(module, profile, settled)
        )
        settled = known if profile.folded_constants_lead else None
        changed = fold_all(module, profile)
        for op in list(module.walk()) if rewrite is not None else ():
            changed |= _is_inside(op, module) and rewrite is not None and rewrite(op)
        changed |= erase_dead(module, profile)
        changed |= simplify_regions(module, profile, merge_blocks, merged)
        if not changed:
            return


def simplify_regions(
    module: Operation, profile: Profile, merge_blocks: bool = True, merged: Merged | None = None
) -> bool:
    """Simplify the blocks inside `module`, like the greedy driver after each iteration.

    Return whether any block changed. For `merged`, see `simplify`."""
    changed = False
    for region in [region for op in module.walk() for region in op.regions]:
        changed |= _simplify_region(region, profile, merge_blocks, {} if merged is None else merged)
    return changed


def _is_inside(op: Operation, module: Operation) -> bool:
    """Return whether `op` is still inside `module`: neither it nor an enclosing op was erased."""
    current: Operation | None = op
    while current is not None and current is not module:
        current = current.parent_op()
    return current is module and op is not module


def share_constants(module: Operation, profile: Profile) -> set[Operation]:
    """Merge equal constants of each function, move them to its front, and return them.

    A constant at the front, or directly after one that was processed, is not moved. Any other constant
    is moved before all ops, so that the moved constants end up in reverse order."""
    handled: set[Operation] = set()
    for region, same in _constants(module, profile):
        op = _only(same)
        front = cast(Block, region.first_block)
        if op.parent is not front or (op.prev_op is not None and op.prev_op not in handled):
            op.detach()
            front.insert_op_before(op, cast(Operation, front.first_op))
        handled.add(op)
    return handled


def _hoist_constants(module: Operation, profile: Profile, settled: Set[Operation]) -> set[Operation]:
    """Merge and move constants like `share_constants`, but put new ones first, in program order.

    Constants in `settled` are not new, unless a new constant duplicates them."""
    handled: set[Operation] = set()
    leading: dict[Region, list[tuple[int, Operation]]] = {}
    numbers = {op: number for number, op in enumerate(module.walk())}
    for region, same in _constants(module, profile):
        new = [numbers[op] for op in same if op not in settled]
        op = _only(same)
        handled.add(op)
        if new:
            leading.setdefault(region, []).append((new[0], op))
    for region, ops in leading.items():
        front = cast(Block, region.first_block)
        for _, op in sorted(ops, key=lambda each: -each[0]):
            if front.first_op is not op:
                op.detach()
                front.insert_op_before(op, cast(Operation, front.first_op))
    return handled


def _constants(module: Operation, profile: Profile) -> list[tuple[Region, list[Operation]]]:
    """Return the constants, grouped by function and value; groups are ordered by their first constant."""
    names = constants_of(profile.version)
    found: dict[object, tuple[Region, list[Operation]]] = {}
    for op in module.walk():
        if op.name in names and op.parent is not None:
            region = isolated_region(op)
            found.setdefault((region, *identity_of(op)), (region, []))[1].append(op)
    return list(found.values())


def _only(same: Sequence[Operation]) -> Operation:
    """Replace equal constants with the first of them, and return it."""
    first, *others = same
    for op in others:
        op.results[0].replace_all_uses_with(first.results[0])
        _erase(op)
    return first


def fold_all(module: Operation, profile: Profile) -> bool:
    """Replace ops that fold to existing values or constants; return whether any op did."""
    changed = False
    for op in list(module.walk()):
        spend()
        values = fold_all_dialects(op, profile)
        if values is None and fold_in_place(op, profile):
            changed = True
            values = fold(op, profile)
        if values is None:
            continue
        materialize = materialize_in_front if profile.folded_constants_lead else materialize_before
        replacements = [value if isinstance(value, SSAValue) else materialize(op, value) for value in values]
        for result, value in zip(op.results, replacements, strict=True):
            result.replace_all_uses_with(value)
        _erase(op)
        changed = True
    return changed


def fold_all_dialects(op: Operation, profile: Profile) -> Sequence[SSAValue | Operation] | None:
    """Fold `op` like `fold`, including ops of the llvm dialect."""
    there = fold_llvm(op)
    made = fold_to_llvm_constant(op, profile) if there is None else there
    return fold(op, profile) if made is None else [made]


def fold_in_place(op: Operation, profile: Profile) -> bool:
    """Fold `op` in place; return whether it changed."""
    changed = False
    if isinstance(op, memref.ExtractStridedMetaDataOp):
        for result, number in known_metadata(op).items():
            result.replace_all_uses_with(materialize_before(op, integer(number, result.type)))
            changed = True
    changed |= find_uniform(op, profile)
    if op.name.startswith("vector."):
        from gpuasync_lsp.lowering.conversion.folders.vector_values import simplify_vector

        if simplify_vector(op, profile):
            return True
    return skip_casts(op) or mark_in_bounds(op) or skip_inner_cast(op) or turn_branches(op) or changed


def erase_dead(module: Operation, profile: Profile) -> bool:
    """Erase ops that have no used results and no side effects; return whether any op was erased."""
    dead = [op for op in module.walk(reverse=True, region_first=True) if op is not module]
    changed = False
    for op in dead:
        if op.parent is not None and is_dead(op, profile):
            _erase(op)
            changed = True
    return changed


def is_dead(op: Operation, profile: Profile, used: bool = False) -> bool:
    """Return whether `op` can be erased; with `used`, even if its results have uses."""
    if not used and any(result.first_use is not None for result in op.results):
        return False
    if op.has_trait(IsTerminator) or op.has_trait(SymbolOpInterface):
        return False
    return is_harmless(op, profile)


def _simplify_region(region: Region, profile: Profile, merge_blocks: bool, merged: Merged) -> bool:
    if region.first_block is region.last_block:
        return False
    changed = _erase_unreachable(region)
    changed |= _erase_dead_values(region, profile)
    if merge_blocks:
        changed |= _merge_equal_blocks(region, merged)
        changed |= profile.drops_equal_arguments and _drop_redundant_arguments(region)
    return changed


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


def _erase_dead_values(region: Region, profile: Profile) -> bool:
    """Erase block arguments and ops that are used only by dead values, including cycles."""
    arguments = [argument for block in _inner_blocks(region) for argument in block.args]
    if not arguments:
        return False
    ops = [op for block in region.blocks for op in block.ops if is_dead(op, profile, used=True)]
    dead: set[SSAValue | Operation] = {*arguments, *ops}
    changed = True
    while changed:
        changed = False
        spend(len(arguments) + len(ops))
        for argument in arguments:
            if argument in dead and _is_used(argument, dead, region):
                dead.remove(argument)
                changed = True
        for op in reversed(ops):
            if op in dead and any(_is_used(result, dead, region) for result in op.results):
                dead.remove(op)
                changed = True
    for argument in reversed(arguments):
        if argument in dead:
            _drop_argument(argument)
    gone = [op for op in ops if op in dead]
    for op in gone:
        op.detach()
        op.drop_all_references()
    for op in gone:
        op.erase(safe_erase=False, drop_references=False)
    return bool(dead)


def _is_used(value: SSAValue, dead: set[SSAValue | Operation], region: Region) -> bool:
    """Return whether a live op or block argument uses `value`."""
    for use in value.uses:
        target = _fed_argument(use.operation, use.index)
        if target is not None:
            if target not in dead:
                return True
            continue
        user: Operation | None = use.operation
        while user is not None and user.parent_region() is not region:
            user = user.parent_op()
        if user not in dead:
            return True
    return False


def _drop_redundant_arguments(region: Region) -> bool:
    """Replace block arguments to which every branch passes the same value; return whether any was found."""
    changed = False
    for block in _inner_blocks(region):
        for argument in reversed(block.args):
            incoming = [_incoming(branch, number, argument.index) for branch, number in branches_to(block)]
            if incoming and incoming[0] is not None and all(value is incoming[0] for value in incoming):
                argument.replace_all_uses_with(incoming[0])
                _drop_argument(argument)
                changed = True
    return changed


def _merge_equal_blocks(region: Region, merged: Merged) -> bool:
    """Merge equivalent blocks; if they use different values from outside, these become block arguments."""
    alike: dict[tuple[Block, ...], list[Block]] = {}
    for block in _inner_blocks(region):
        if not any(op.regions for op in block.ops):
            alike.setdefault(tuple(_successors(block)), []).append(block)
    changed = False
    for blocks in alike.values():
        clusters: list[_Cluster] = []
        for block in blocks:
            spend(10 * len(clusters))
            if not any(cluster.add(block) for cluster in clusters):
                clusters.append(_Cluster(block))
        for cluster in clusters:
            changed |= cluster.merge(merged)
    return changed


class _Cluster:
    """Blocks that can be merged into the first one, the leader."""

    def __init__(self, leader: Block) -> None:
        self._blocks = [leader]
        self._differing: set[tuple[int, int]] = set()
        """The (op number, operand number) pairs at which the blocks use different values."""

    def add(self, block: Block) -> bool:
        """Add `block` if it is equivalent to the leader; return whether it was added."""
        leader = self._blocks[0]
        differing = _differing_operands(leader, block)
        if differing is None:
            return False
        self._differing |= differing
        self._blocks.append(block)
        return True

    def merge(self, merged: Merged) -> bool:
        """Merge all blocks into the leader; return whether there were other blocks."""
        leader, *others = self._blocks
        if not others:
            return False
        columns: dict[tuple[SSAValue, ...], BlockArgument] = {}
        ops = [list(block.ops) for block in self._blocks]
        for op, operand in sorted(self._differing):
            values = tuple(each[op].operands[operand] for each in ops)
            if values not in columns:
                columns[values] = leader.insert_arg(values[0].type, len(leader.args))
            ops[0][op].operands[operand] = columns[values]
        for number, block in enumerate(self._blocks):
            given = [values[number] for values in columns]
            for branch, successor in list(branches_to(block)):
                _append_operands(branch, successor, given)
                branch.successors[successor] = leader
        for block in others:
            merged.update(zip(block.ops, leader.ops, strict=True))
            for op in block.ops:
                op.drop_all_references()
            region = region_of(block)
            region.erase_block(block, safe_erase=False)
        return True


def _differing_operands(a: Block, b: Block) -> set[tuple[int, int]] | None:
    """Return the (op number, operand number) pairs at which two equivalent blocks use different values.

    Returns None if the blocks are not equivalent."""
    ops_a, ops_b = list(a.ops), list(b.ops)
    if len(ops_a) != len(ops_b) or [x.type for x in a.args] != [x.type for x in b.args]:
        return None
    same: dict[SSAValue, SSAValue] = dict(zip(b.args, a.args, strict=True))
    differing: set[tuple[int, int]] = set()
    for number, (op_a, op_b) in enumerate(zip(ops_a, ops_b, strict=True)):
        if not _are_equivalent(op_a, op_b):
            return None
        for position, (value_a, value_b) in enumerate(zip(op_a.operands, op_b.operands, strict=True)):
            if same.get(value_b, value_b) is value_a:
                continue
            inside = block_of(value_a) is a, block_of(value_b) is b
            if any(inside) or value_a.type != value_b.type:
                return None
            differing.add((number, position))
        same.update(zip(op_b.results, op_a.results, strict=True))
    used_outside = any(
        use.operation.parent is not block
        for block in (a, b)
        for value in (*block.args, *(result for op in block.ops for result in op.results))
        for use in value.uses
    )
    return None if used_outside else differing


def _are_equivalent(a: Operation, b: Operation) -> bool:
    return (
        a.name == b.name
        and a.properties == b.properties
        and a.attributes == b.attributes
        and list(a.result_types) == list(b.result_types)
        and len(a.operands) == len(b.operands)
    )


def block_of(value: SSAValue) -> Block | None:
    """Return the block that defines `value`, as an argument or with an op."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _append_operands(branch: Operation, successor: int, values: Sequence[SSAValue]) -> None:
    """Append operands for a successor to a cf branch."""
    if not values:
        return
    starts = _branch_operands(branch)
    assert starts is not None
    end = starts[successor + 1] if successor + 1 < len(starts) else len(branch.operands)
    branch.operands = [*branch.operands[:end], *values, *branch.operands[end:]]
    _resize(branch, successor, len(values))


# Branches. Ops with successors in dialects other than cf are opaque here: their operands are live.


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
    """Return the index of the first operand for each successor, or None for a branch that is not a cf op."""
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
    """Remove the operand for block argument `index` of a successor from a branch, in place."""
    starts = _branch_operands(branch)
    assert starts is not None
    position = starts[successor] + index
    branch.operands = [value for number, value in enumerate(branch.operands) if number != position]
    _resize(branch, successor, -1)


def _resize(branch: Operation, successor: int, by: int) -> None:
    """Update the segment sizes of `branch` after adding `by` operands (removing, if `by` is negative)."""
    if isinstance(branch, cf.ConditionalBranchOp):
        _add_to_size(branch, "operandSegmentSizes", 1 + successor, by)
    elif isinstance(branch, cf.SwitchOp):
        _add_to_size(branch, "operandSegmentSizes", 1 if successor == 0 else 2, by)
        if successor:
            _add_to_size(branch, "case_operand_segments", successor - 1, by)


def _add_to_size(op: Operation, name: str, position: int, by: int) -> None:
    sizes = list(integers(op.properties[name]))
    sizes[position] += by
    op.properties[name] = i32_array(sizes)


def _drop_argument(argument: BlockArgument) -> None:
    for branch, number in list(branches_to(argument.block)):
        _remove_operand(branch, number, argument.index)
    argument.block.erase_arg(argument, safe_erase=False)


def branches_to(block: Block) -> Iterator[tuple[Operation, int]]:
    """Yield the branches to `block` from its own region, each with its successor number."""
    for use in block.uses:
        branch = use.operation
        if branch.parent is not None and branch.parent.parent is block.parent:
            yield branch, use.index


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []


def _inner_blocks(region: Region) -> Iterator[Block]:
    """Yield the blocks that only cf ops branch to, except the entry block."""
    for block in list(region.blocks)[1:]:
        if block.parent is region and all(_branch_operands(branch) for branch, _ in branches_to(block)):
            yield block


def isolated_region(op: Operation) -> Region:
    """Return the region where the constants for `op` are placed: the body of its function."""
    region = op.parent_region()
    while region is not None and region.parent is not None and not _is_isolated(region.parent):
        region = region.parent.parent_region()
    assert region is not None
    return region


def _is_isolated(op: Operation) -> bool:
    """Return whether `op` is isolated from above; false for an op of an unknown dialect."""
    if not isinstance(op, OpaqueOp):
        return op.has_trait(IsolatedFromAbove)
    known = entry(op.op_name)
    return known is not None and "IsIsolatedFromAbove" in known.variants[-1].traits


def materialize_before(op: Operation, constant: Operation) -> SSAValue:
    """Insert before `op` a constant to which `op` folded.

    The next iteration merges equal constants and moves them to the front of the function."""
    return insert_before(op, constant).results[0]


def materialize_in_front(op: Operation, constant: Operation) -> SSAValue:
    """Insert a constant to which `op` folded at the front of its function, or reuse an equal one there."""
    front = isolated_region(op).first_block
    assert front is not None
    for known in front.ops:
        if known.name not in CONSTANTS:
            break
        if known.results[0].first_use is not None and identity_of(known) == identity_of(constant):
            return known.results[0]
    assert front.first_op is not None
    insert_before(front.first_op, constant).location = op.location
    return constant.results[0]


def identity_of(constant: Operation) -> tuple[str, Attribute | None, Attribute]:
    """Return a key that is the same for equal constants: name, value and type."""
    value = constant.get_attr_or_prop("global_name" if isinstance(constant, llvm.AddressOfOp) else "value")
    return constant.name, value, constant.results[0].type


def _erase(op: Operation) -> None:
    op.detach()
    op.erase(safe_erase=False)
