"""`cse`: erases ops that recompute the result of a dominating op.

Source: mlir/lib/Transforms/CSE.cpp. Two ops that read memory are equivalent only if they are in the same
block and no op between them may write.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterator

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.core import IRNode
from xdsl.traits import IsolatedFromAbove, IsTerminator

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.effects import is_harmless, is_repeatable, may_write, reads
from gpuasync_lsp.text.effort import spend

Known = ChainMap[Hashable, Operation]
"""Maps each computation to the first dominating op that performs it."""

_COMMUTATIVE = frozenset(
    (
        *("arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.maxsi", "arith.maxui"),
        *("arith.minsi", "arith.minui", "arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf"),
        *("arith.maxnumf", "arith.minnumf", "arith.addui_extended", "arith.mulsi_extended"),
        *("arith.mului_extended", "llvm.add", "llvm.mul", "index.add", "index.mul", "index.and", "index.or"),
        *("index.xor", "index.maxs", "index.maxu", "index.mins", "index.minu"),
    )
)
"""Ops whose two operands commute. Measured in LLVM 19 and 22."""

MAX_BETWEEN = 2000
"""The maximum number of ops visited between two ops that read memory."""


def cse(root: Operation, profile: Profile) -> None:
    """Eliminate common subexpressions inside `root`, in place."""
    gone: list[Operation] = []
    for region in root.regions:
        _region(region, ChainMap(), profile, gone)
    for op in gone:
        op.detach()
        op.erase(safe_erase=False)


def _region(region: Region, known: Known, profile: Profile, gone: list[Operation]) -> None:
    if region.first_block is None:
        return
    if region.first_block is region.last_block:
        _block(region.first_block, known.new_child(), profile, gone)
        return
    dominated = _dominated(region)
    pending = [(region.first_block, known.new_child())]
    while pending:
        block, scope = pending.pop()
        _block(block, scope, profile, gone)
        pending += [(inner, scope.new_child()) for inner in reversed(dominated.get(block, []))]


def _block(block: Block, known: Known, profile: Profile, gone: list[Operation]) -> None:
    for op in block.ops:
        spend(2)
        for region in op.regions:
            is_isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
            _region(region, ChainMap() if is_isolated else known, profile, gone)
        if _is_simplified(op, known, profile):
            gone.append(op)


def _is_simplified(op: Operation, known: Known, profile: Profile) -> bool:
    """Return whether `op` is dead or redundant; replace the results of a redundant op."""
    if op.has_trait(IsTerminator, value_if_unregistered=False) or op.name.startswith("gpuasync."):
        return False
    if all(result.first_use is None for result in op.results) and is_harmless(op, profile):
        return True
    if any(region.first_block is not region.last_block for region in op.regions):
        return False
    if not is_repeatable(op, profile):
        return False
    key = _key(op)
    first = known.get(key)
    is_alike = not op.regions or (
        profile.cse_compares_regions and first is not None and _are_equivalent(first, op)
    )
    if first is None or not is_alike:
        known[key] = op
        return False
    if reads(op) and (first.parent is not op.parent or _is_written_between(first, op, profile)):
        known[key] = op
        return False
    for old, new in zip(op.results, first.results, strict=True):
        old.replace_all_uses_with(new)
    return True


def _is_written_between(first: Operation, last: Operation, profile: Profile) -> bool:
    op = first.next_op
    for _ in range(MAX_BETWEEN):
        if op is None or op is last:
            return op is None
        spend()
        if may_write(op, profile):
            return True
        op = op.next_op
    return True


def _key(op: Operation) -> Hashable:
    operands: list[SSAValue] | tuple[SSAValue, ...] = tuple(op.operands)
    if op.name in _COMMUTATIVE:
        operands = tuple(sorted(operands, key=id))
    attributes = frozenset((*op.properties.items(), *op.attributes.items()))
    return op.name, operands, tuple(op.result_types), attributes, len(op.regions)


def _are_equivalent(first: Operation, second: Operation) -> bool:
    """Return whether the regions of two ops are equivalent."""
    context: dict[IRNode | SSAValue, IRNode | SSAValue] = {}
    if first.parent is not None and second.parent is not None:
        context[first.parent] = second.parent
    return first.is_structurally_equivalent(second, context)


def _dominated(region: Region) -> dict[Block, list[Block]]:
    """Return the children of each reachable block in the dominator tree of `region`."""
    entry = region.first_block
    assert entry is not None
    order = list(_postorder(entry))
    number = {block: index for index, block in enumerate(order)}
    before: dict[Block, list[Block]] = {}
    for block in order:
        for successor in _successors(block):
            before.setdefault(successor, []).append(block)
    above: dict[Block, Block] = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            spend()
            known = [other for other in before[block] if other in above]
            new = known[0]
            for other in known[1:]:
                new = _meet(new, other, above, number)
            if above.get(block) is not new:
                above[block] = new
                changed = True
    found: dict[Block, list[Block]] = {}
    for block in region.blocks:
        if block in above and block is not entry:
            found.setdefault(above[block], []).append(block)
    return found


def _meet(a: Block, b: Block, above: dict[Block, Block], number: dict[Block, int]) -> Block:
    while a is not b:
        spend()
        if number[a] < number[b]:
            a = above[a]
        else:
            b = above[b]
    return a


def _postorder(entry: Block) -> Iterator[Block]:
    seen = {entry}
    pending = [(entry, iter(_successors(entry)))]
    while pending:
        block, successors = pending[-1]
        following = next((each for each in successors if each not in seen), None)
        if following is None:
            pending.pop()
            yield block
        else:
            seen.add(following)
            pending.append((following, iter(_successors(following))))


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []
