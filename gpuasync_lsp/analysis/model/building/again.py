"""Adapts the model of a function in which a copy, fill or launch takes other memory, or values, than before.

Tokens, streams, waits and the graph stay what they are: only what the op does to memory is another.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.analysis.model.function import WORK, Access, AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.memory.effects import is_memref, points
from gpuasync_lsp.analysis.model.memory.sparse import has_handles
from gpuasync_lsp.analysis.model.passing import LOOPS
from gpuasync_lsp.preconditions import unmet
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.text.effort import spend

_SOURCES = frozenset({"gpu.alloc", "memref.get_global"})
"""Ops that make memrefs of which who else uses them tells nothing about other memory."""


def adapt(
    function: AsyncFunction,
    op: Operation,
    before: Sequence[SSAValue],
    memory: Memory,
    symbols: Set[SSAValue],
) -> bool:
    """Make `function` the model, not run yet, with the operands that `op` has now instead of `before`.

    `memory` and `symbols`, the values that places depend on, are what it was built with. False where it
    cannot be done; then `function` is no model of anything any more.
    """
    spend(10 * len(function.order))
    info = function.by_op.get(op)
    node = function.node_of.get(op)
    if info is None or info.erased or node is None or info.has_object:
        return False
    if function.may_merge:
        return False
    count = len(info.deps)
    now = tuple(op.operands)
    if now[:count] != tuple(before[:count]) or now[:count] != info.deps:
        return False
    if info.rejections or not isinstance(op, AsyncOpInterface) or unmet(op, function.profile):
        return False
    others = [v for pair in zip(before, now, strict=True) if pair[0] is not pair[1] for v in pair]
    if not all(is_plain(function, v, memory) and is_still_taken(function, v, {op}) for v in others):
        return False
    steps = [step for step in node.steps if step.source is info and step.action in WORK]
    accesses = renewed(function, info, memory, symbols)
    if len(steps) != 1 or accesses is None:
        return False
    for access in accesses:
        access.handle = info.handle
    info.accesses = accesses
    node.steps[node.steps.index(steps[0])] = replace(steps[0], accesses=accesses)
    return True


def renewed(
    function: AsyncFunction, info: AsyncOp, memory: Memory, symbols: Set[SSAValue]
) -> tuple[Access, ...] | None:
    """Return what a gpu op does to memory as things are; None if that depends on other ops, or values than
    `symbols`, of which it is not followed when they become others."""
    return None if has_handles(info.op) else in_symbols(function, memory.device(info), symbols)


def in_symbols(
    function: AsyncFunction, accesses: tuple[Access, ...], symbols: Set[SSAValue]
) -> tuple[Access, ...] | None:
    """Return `accesses`, None if they depend on other values than `symbols`."""
    for value in (v for access in accesses for v in access.symbols):
        if not {value, *function.made_of.get(value, ())} <= symbols:
            return None
    return accesses


def is_plain(function: AsyncFunction, value: SSAValue, memory: Memory) -> bool:
    """Tell whether `value` is no memref, or memory itself, whose uses tell nothing of other memory."""
    if not points(value.type):
        return True
    owner = value.owner
    if not is_memref(value.type):
        return value in memory.places.known and not isinstance(owner, Operation)
    if isinstance(owner, Operation):
        return owner.name in _SOURCES and value in memory.places.known
    if owner.parent_op() is not function.op:
        return False
    place = memory.place(value)
    return place is not None and not place.buffer.is_name


def is_still_taken(function: AsyncFunction, value: SSAValue, besides: Set[Operation]) -> bool:
    """Tell whether what defines `value` is converted or erased whether the ops `besides` take it or not."""
    owner, profile = value.owner, function.profile
    if not profile.greedy_prepass or not isinstance(owner, Operation) or not is_harmless(owner, profile):
        return True
    for use in value.uses:
        user = use.operation
        spend()
        if user in besides or user.name in LOOPS or user.name == "scf.while" or user.has_trait(IsTerminator):
            continue
        if not is_harmless(user, profile):
            return True
    return False
