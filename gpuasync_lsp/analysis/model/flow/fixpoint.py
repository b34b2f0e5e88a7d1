"""All paths at once: facts are carried along the edges and joined until nothing is new."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Handle, Kind, Node
from gpuasync_lsp.analysis.model.state import LIVE, State
from gpuasync_lsp.text.effort import spend


def follow_all_paths(flow: Flow) -> None:
    """Note in `flow` what is wrong on some path, and in its function which nodes a path comes to."""
    function = flow.function
    entry = settled(flow)
    function.reached = set(entry)
    flow.notes.report = True
    for node in function.nodes:
        if node in entry:
            flow.through(node, entry.pop(node))
    flow.notes.report = False


def settled(flow: Flow, before: Mapping[Node, State] | None = None) -> dict[Node, State]:
    """Carry facts along the edges until nothing is new; return the facts before each node that a path comes
    to. Those `before` are known, of nodes to which no path leads from others."""
    function = flow.function
    first, handles = function.nodes[0], len(function.handles)
    entry = dict(before) if before else {first: flow.start()}
    if len(function.nodes) == 1:
        return entry
    order = order_of_nodes(first)
    edge_of = [node for node in before or () if any(e.target not in entry for e in node.edges)]
    work = [order[node] for node in edge_of or (() if before else (first,))]
    heapq.heapify(work)
    queued = {*work}
    nodes = {number: node for node, number in order.items()}
    local = local_things(function)
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
                state.life[index] = state.done[index] = 0
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


def local_things(function: AsyncFunction) -> dict[Node, list[int]]:
    """Return the streams and events that only one node knows: facts of those that are gone at its end are
    nobody's business, and paths that differ in nothing else are quickly joined."""
    handles = len(function.handles)
    where: dict[int, Node | None] = {}
    created: set[int] = set()
    for node in function.nodes:
        for step in node.steps:
            known = (step.handle, step.other, *step.behind)
            mentioned = [handle.index for handle in known if handle is not None]
            if step.event >= 0:
                mentioned.append(handles + step.event)
            if step.action is Action.CREATE or step.action is Action.RECORD:
                created.add(mentioned[-1] if step.event >= 0 or step.handle is None else step.handle.index)
            for dep in step.source.deps if step.source is not None else ():
                handle = function.tokens.get(dep)
                if handle is not None:
                    mentioned.append(handle.index)
            for index in mentioned:
                if where.setdefault(index, node) is not node:
                    where[index] = None
        for edge in node.edges:
            where.update((handle.index, None) for pair in edge.passes for handle in pair)
    for handle in function.handles:
        if handle.kind is Kind.OPAQUE:
            where.update((m.index, None) for m in handle.members if isinstance(m, Handle))
    found: dict[Node, list[int]] = {}
    for index, node in where.items():
        if node is not None and index in created:
            found.setdefault(node, []).append(index)
    return found


def order_of_nodes(first: Node) -> dict[Node, int]:
    """Return numbers by which a node comes after all nodes that lead to it, back edges left aside."""
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
