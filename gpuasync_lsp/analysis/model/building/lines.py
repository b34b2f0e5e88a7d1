"""Adapts the model of a function to statements that come or go and only compute numbers nobody takes.

Tokens, streams, memory and the graph stay what they are, and so does all that was concluded from them: only
the order in which the ops are counted is another.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.building.merging import may_merge
from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.plain import are_unused_numbers
from gpuasync_lsp.text.effort import spend


def adapt_lines(
    function: AsyncFunction,
    gone: Sequence[Operation],
    made: Sequence[Operation],
    memory: Memory,
    symbols: Set[SSAValue],
) -> bool:
    """Make `function` the model in which the ops `gone` are not there, and the ops `made` are, in one row.

    Both are `are_unused_numbers`. `memory` and `symbols`, the values that places depend on, are what it was
    built with. False, and nothing changed, where it cannot be done.
    """
    spend(10 * len(function.order))
    profile = function.profile
    if not are_unused_numbers(made) or not all(op in function.order for op in gone):
        return False
    if any(result in symbols or result in function.made_of for op in gone for result in op.results):
        return False
    if profile.greedy_prepass and not all(is_harmless(op, profile) for op in (*gone, *made)):
        return False
    behind = made[-1].next_op if made else None
    node = None if behind is None else function.node_of.get(behind)
    if made and (behind is None or node is None or any(memory.host(op) for op in made)):
        return False
    if may_merge(function.op, profile):
        return False
    order: list[Operation] = []
    left_out = set(gone)
    for op in function.order:
        if op is behind:
            order += made
        if op not in left_out:
            order.append(op)
    function.order = {op: number for number, op in enumerate(order)}
    for info in function.ops:
        info.order = function.order[info.op]
    for op in gone:
        function.node_of.pop(op, None)
    if node is not None:
        function.node_of.update(dict.fromkeys(made, node))
    return True
