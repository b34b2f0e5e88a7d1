"""Natural loops of the CFG."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from xdsl.ir import Block, Region

from gpuasync_lsp.syntax.dominance import Dominance
from gpuasync_lsp.text.effort import spend


def loops_of_blocks(region: Region) -> Mapping[Block, frozenset[Block]] | None:
    """Map each block in a natural loop to the headers of all loops around it.

    Return None if the CFG is irreducible.
    """
    if len(region.blocks) < 2:
        return {}
    dominance = Dominance(region)
    before: dict[Block, list[Block]] = {block: [] for block in region.blocks}
    again: dict[Block, list[Block]] = {}
    for block in filter(dominance.is_reachable, region.blocks):
        last = block.last_op
        for successor in last.successors if last is not None else ():
            if successor not in before:
                continue
            if dominance.dominates(successor, block):
                again.setdefault(successor, []).append(block)
            else:
                before[successor].append(block)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return None
    found: dict[Block, set[Block]] = {}
    for head, ends in again.items():
        inside, work = {head}, list(ends)
        while work:
            block = work.pop()
            spend()
            if block not in inside:
                inside.add(block)
                work += [*before[block], *again.get(block, ())]
        for block in inside:
            found.setdefault(block, set()).add(head)
    return {block: frozenset(heads) for block, heads in found.items()}
