"""The patterns of the cf dialect. Source: mlir/lib/Dialect/ControlFlow/IR/ControlFlowOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import block_of, insert_before, replace
from gpuasync_lsp.lowering.conversion.folders import constant_int
from gpuasync_lsp.lowering.conversion.greedy import branches_to
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns, constant_true, replace_with
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, cf
from gpuasync_lsp.syntax.dialects.assembly import Attributes
from gpuasync_lsp.syntax.dialects.cf import Case

Target = tuple[Block, Sequence[SSAValue]]
"""A successor block and the operands that a branch passes to it."""


def _drop_true_assertion(op: Operation, _: Profile) -> bool:
    return replace(op, []) if constant_int(cast(cf.AssertOp, op).arg) else False


# Unconditional branches


def _merge_into_predecessor(branch: cf.BranchOp, _: Profile) -> bool:
    """Merge the target of a `cf.br` into the branch's block, if it has no other predecessor."""
    block, target = block_of(branch), branch.successor
    region = target.parent
    if target is block or region is None or target is region.first_block:
        return False
    if _only_edge(target) is not branch:
        return False
    for argument, value in zip(list(target.args), list(branch.operands), strict=True):
        argument.replace_all_uses_with(value)
    replace(branch, [])
    for inner in list(target.ops):
        inner.detach()
        block.add_op(inner)
    region.erase_block(target)
    return True


def _pass_through(branch: cf.BranchOp, _: Profile) -> bool:
    if branch.successor is block_of(branch):
        return False
    found = _branch_target((branch.successor, branch.arguments))
    return found is not None and replace_with(branch, cf.BranchOp(found[0], *found[1]))


def _branch_target(target: Target) -> Target | None:
    """Return the final target if the block of `target` contains only a branch, otherwise None."""
    block, given = target
    branch = block.first_op
    if not isinstance(branch, cf.BranchOp) or block is _first_block(block):
        return None
    if any(use.operation is not branch for argument in block.args for use in argument.uses):
        return None
    if branch.successor is block or _leads_to_cycle(branch.successor, block):
        return None
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, given, strict=True))
    return branch.successor, [values.get(value, value) for value in branch.arguments]


def _leads_to_cycle(block: Block, start: Block) -> bool:
    visited = {start, block}
    end = block.last_op
    while isinstance(end, cf.BranchOp):
        if end.successor in visited:
            return True
        visited.add(end.successor)
        end = end.successor.last_op
    return False


# Conditional branches


def _know_condition(branch: cf.ConditionalBranchOp, profile: Profile) -> bool:
    known = constant_int(branch.cond)
    return known is not None and _go(branch, _targets(branch)[0 if known else 1], profile)


def _pass_through_conditionally(branch: cf.ConditionalBranchOp, _: Profile) -> bool:
    if_true, if_false = _targets(branch)
    new_true, new_false = _branch_target(if_true), _branch_target(if_false)
    if new_true is None and new_false is None:
        return False
    weights = branch.branch_weights
    properties: Attributes = {} if weights is None else {"branch_weights": weights}
    new = cf.ConditionalBranchOp(
        branch.cond, *(new_true or if_true), *(new_false or if_false), properties=properties
    )
    return replace_with(branch, new)


def _choose_values(branch: cf.ConditionalBranchOp, profile: Profile) -> bool:
    """Replace a `cf.cond_br` that has equal successors with a `cf.br`.

    Operands that differ become arith.selects; this requires a successor without other predecessors."""
    (target, if_true), (other, if_false) = _targets(branch)
    if target is not other:
        return False
    if list(if_true) == list(if_false):
        return _go(branch, (target, if_true), profile)
    if any(edge is not branch for edge, _ in branches_to(target)):
        return False
    chosen = [
        a if a is b else insert_before(branch, arith.SelectOp(branch.cond, a, b)).results[0]
        for a, b in zip(if_true, if_false, strict=True)
    ]
    return _go(branch, (target, chosen), profile)


def _follow_same_condition(branch: cf.ConditionalBranchOp, profile: Profile) -> bool:
    """Fold a branch if the only branch to its block tests the same condition."""
    block = block_of(branch)
    before = _only_edge(block)
    if not isinstance(before, cf.ConditionalBranchOp) or before.cond is not branch.cond:
        return False
    return _go(branch, _targets(branch)[0 if before.then_block is block else 1], profile)


def _propagate_condition(branch: cf.ConditionalBranchOp, _: Profile) -> bool:
    """In a successor without other predecessors, replace uses of the condition with a constant."""
    changed = False
    for value, (target, _arguments) in zip((True, False), _targets(branch), strict=True):
        if _only_edge(target) is None:
            continue
        known: SSAValue | None = None
        for use in list(branch.cond.uses):
            if use.operation.parent is target:
                known = known or constant_true(branch, value)
                use.operation.operands[use.index] = known
                changed = True
    return changed


def _avoid_unreachable(branch: cf.ConditionalBranchOp, profile: Profile) -> bool:
    if_true, if_false = _targets(branch)
    if _is_unreachable(if_true[0]):
        return _go(branch, if_false, profile)
    return _is_unreachable(if_false[0]) and _go(branch, if_true, profile)


def _is_unreachable(block: Block) -> bool:
    return block.first_op is not None and block.first_op.name == "ub.unreachable"


def _targets(branch: cf.ConditionalBranchOp) -> tuple[Target, Target]:
    return (branch.then_block, branch.then_arguments), (branch.else_block, branch.else_arguments)


# Switches


def _switch_without_cases(switch: cf.SwitchOp, profile: Profile) -> bool:
    return not switch.case_blocks and _go(switch, _default(switch), profile)


def _drop_cases_like_default(switch: cf.SwitchOp, _: Profile) -> bool:
    cases = _cases(switch)
    default, given = _default(switch)
    kept = [case for case in cases if case[1] is not default or list(case[2]) != list(given)]
    return len(kept) < len(cases) and _rebuild(switch, (default, given), kept)


def _know_case(switch: cf.SwitchOp, profile: Profile) -> bool:
    known = constant_int(switch.flag)
    return known is not None and _go(switch, _chosen(switch, known), profile)


def _pass_cases_through(switch: cf.SwitchOp, _: Profile) -> bool:
    cases, default = _cases(switch), _default(switch)
    new_default = _branch_target(default)
    new_cases = [(value, _branch_target((block, given))) for value, block, given in cases]
    if new_default is None and not any(found for _, found in new_cases):
        return False
    merged = [
        case if found is None else (value, *found)
        for case, (value, found) in zip(cases, new_cases, strict=True)
    ]
    return _rebuild(switch, new_default or default, merged)


def _follow_same_switch(switch: cf.SwitchOp, profile: Profile) -> bool:
    """Fold a switch if the only branch to its block is a switch on the same flag.

    If that switch reaches the block as its default destination, drop the cases that both switches have."""
    block = block_of(switch)
    before = _only_edge(block)
    if not isinstance(before, cf.SwitchOp) or before.flag is not switch.flag:
        return False
    if before.default_block is not block:
        values = [value for value, target, _ in _cases(before) if target is block]
        return _go(switch, _chosen(switch, values[0]), profile)
    gone = {value for value, _, _ in _cases(before)}
    cases = _cases(switch)
    kept = [case for case in cases if case[0] not in gone]
    return len(kept) < len(cases) and _rebuild(switch, _default(switch), kept)


def _cases(switch: cf.SwitchOp) -> list[Case]:
    values = () if switch.case_values is None else cast("Sequence[int]", switch.case_values.get_values())
    return list(zip(values, switch.case_blocks, switch.case_operand, strict=True))


def _default(switch: cf.SwitchOp) -> Target:
    return switch.default_block, switch.default_operands


def _chosen(switch: cf.SwitchOp, flag: int) -> Target:
    bits = getattr(switch.flag.type, "bitwidth", 64)
    same = [(block, given) for value, block, given in _cases(switch) if (value - flag) % (1 << bits) == 0]
    return same[0] if same else _default(switch)


def _rebuild(switch: cf.SwitchOp, default: Target, cases: Sequence[Case]) -> bool:
    return replace_with(switch, cf.SwitchOp(switch.flag, *default, cases))


# Helpers


def _go(branch: Operation, target: Target, profile: Profile) -> bool:
    """Replace `branch` with a `cf.br` to `target`, then try to merge the target, as MLIR's worklist does."""
    new = cf.BranchOp(target[0], *target[1])
    replace_with(branch, new)
    _merge_into_predecessor(new, profile)
    return True


def _only_edge(block: Block) -> Operation | None:
    """Return the branch to `block` if there is exactly one, otherwise None."""
    edges = list(branches_to(block))
    return edges[0][0] if len(edges) == 1 else None


def _first_block(block: Block) -> Block | None:
    return None if block.parent is None else block.parent.first_block


PATTERNS: Patterns = {
    cf.AssertOp: (_drop_true_assertion,),
    cf.BranchOp: (_merge_into_predecessor, _pass_through),
    cf.ConditionalBranchOp: (
        _know_condition,
        _pass_through_conditionally,
        _choose_values,
        _follow_same_condition,
        _propagate_condition,
        _avoid_unreachable,
    ),
    cf.SwitchOp: (
        _switch_without_cases,
        _drop_cases_like_default,
        _know_case,
        _pass_cases_through,
        _follow_same_switch,
    ),
}
