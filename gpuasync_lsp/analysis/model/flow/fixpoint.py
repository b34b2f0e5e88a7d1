"""Dataflow over all paths: facts propagate along edges and are joined until a fixpoint."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence

from gpuasync_lsp.analysis.model.flow.mentions import (
    Mentioned,
    by_other_names,
    mentioned,
    mentioned_after,
    of_one_node,
)
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import AsyncFunction, Node, Step, bits_of
from gpuasync_lsp.analysis.model.state import LIVE, State
from gpuasync_lsp.text.effort import spend

LONG = 500
"""Dead facts are dropped during propagation in functions with at least this number of steps.

Otherwise the facts would grow with the function, and the time with the square of its length."""
_STRETCH = 64
"""The number of steps after which dead facts are dropped."""


def follow_all_paths(flow: Flow) -> None:
    """Interpret all paths: record possible faults in the notes of `flow`, and the nodes that are reached."""
    function = flow.function
    always = by_other_names(function)
    # In straight-line code there are no facts to join.
    parts = {n: mentioned(function, n.steps) for n in function.nodes} if len(function.nodes) > 1 else {}
    entry = settled(flow, of_one_node(parts, always))
    function.reached = set(entry)
    is_long = sum(len(node.steps) for node in function.nodes) >= LONG
    behind = mentioned_after(function.nodes, parts, always) if is_long and parts else {}
    flow.notes.report = True
    for node in function.nodes:
        if node not in entry:
            continue
        state = entry.pop(node)
        if not is_long:
            flow.through(node, state)
            continue
        for steps, unwanted in _stretches(function, node, behind.get(node, always), always):
            flow.by(steps, state)
            state.settle()
            for index in bits_of(unwanted):
                state.done.pop(index, None)
        flow.leave(node, state)
    flow.notes.report = False


def _stretches(
    function: AsyncFunction, node: Node, behind: int, always: int
) -> Iterator[tuple[Sequence[Step], int]]:
    """Yield the steps of `node` in groups, each with the streams and events that are dead after the group.

    `behind` are the streams and events that are live after the node."""
    cut = [node.steps[at : at + _STRETCH] for at in range(0, len(node.steps), _STRETCH)]
    wanted: list[tuple[Mentioned, int]] = []
    for steps in reversed(cut):
        here = mentioned(function, steps)
        wanted.append((here, behind))
        behind = here.before(behind) | always
    for steps, (here, later) in zip(cut, reversed(wanted), strict=True):
        yield steps, here.all & ~later


def settled(flow: Flow, local: Mapping[Node, Sequence[int]]) -> dict[Node, State]:
    """Propagate facts to a fixpoint; return the facts before each reachable node.

    `local` lists the streams and events that only one node mentions: facts about them are dropped after the
    node if they are destroyed there."""
    function = flow.function
    first, handles = function.nodes[0], len(function.handles)
    entry = {first: flow.start()}
    if len(function.nodes) == 1:
        return entry
    order = order_of_nodes(first)
    work = [order[first]]
    queued = {*work}
    nodes = {number: node for node, number in order.items()}
    while work:
        number = heapq.heappop(work)
        queued.discard(number)
        node = nodes[number]
        state = entry[node].copy()
        spend(4 + len(state.life) // 8)
        flow.through(node, state)
        state.settle()
        for index in local.get(node, ()):
            if not state.life[index] & LIVE or index >= handles:
                state.life[index] = 0
                state.done.pop(index, None)
        for edge in node.edges:
            given = flow.along(edge, state)
            known = entry.get(edge.target)
            if known is None:
                entry[edge.target] = given.copy()
            elif not known.join(given):
                continue
            number = order[edge.target]
            if number not in queued:
                queued.add(number)
                heapq.heappush(work, number)
    return entry


def order_of_nodes(first: Node) -> dict[Node, int]:
    """Number the nodes reachable from `first` in topological order, ignoring back edges."""
    return {node: number for number, node in enumerate(reversed(_postorder(first)))}


def _postorder(first: Node) -> list[Node]:
    seen = {first}
    left: list[Node] = []
    work = [(first, iter(first.edges))]
    while work:
        node, edges = work[-1]
        edge = next(edges, None)
        if edge is None:
            left.append(node)
            work.pop()
        elif edge.target not in seen:
            seen.add(edge.target)
            work.append((edge.target, iter(edge.target.edges)))
    return left
