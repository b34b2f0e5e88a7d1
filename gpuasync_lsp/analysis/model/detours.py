"""Nodes that an edit puts into the graph of a function, or takes out, between the two parts of one node.

Without them the two are one: nothing happens on the way, so that all that is known before is known behind.
"""

from __future__ import annotations

from xdsl.ir import Block

from gpuasync_lsp.analysis.model.function import AsyncFunction, Detour, Node


def cut(function: AsyncFunction, node: Node, at: int, end: Node) -> None:
    """Let `end` go on with the steps of `node` from number `at` on, and go where that went."""
    end.steps += node.steps[at:]
    del node.steps[at:]
    end.edges, node.edges = node.edges, []
    end.ends, node.ends = node.ends, None
    detour = function.detour = function.detour or Detour()
    detour.cut = (node if detour.cut is None else detour.cut[0]), end


def close(function: AsyncFunction) -> None:
    """Let the parts of a node between which nothing is left be one again."""
    detour, function.detour = function.detour, None
    if detour is None or detour.closed is None:
        return
    first, last = detour.closed
    first.steps += last.steps
    first.edges, first.ends = last.edges, last.ends
    for op, node in function.node_of.items():
        if node is last:
            function.node_of[op] = first
    function.nodes = [node for node in function.nodes if node not in detour.gone]
    for index, node in enumerate(function.nodes):
        node.index = index


def number(function: AsyncFunction) -> None:
    """Give the nodes the numbers that they have when they are made in the order of the text: what is to be
    the end of another comes behind that."""
    order, detour = function.order, function.detour or Detour()

    def place(node: Node) -> float:
        of = node.of
        if of is None:
            return -1
        if not isinstance(of, Block):
            return order[of]
        # A region is entered when all that is in front of it is done.
        first, parent = of.first_op, of.parent_op()
        if first is not None:
            return order[first] - 0.5
        return -1 if parent is None else order[parent]

    nodes = sorted((node for node in function.nodes if node not in detour.gone), key=place)
    if detour.closed is not None:
        first, last = detour.closed
        nodes.insert(nodes.index(first) + 1, last)
        nodes += detour.gone - {last}
    function.nodes = nodes
    for index, node in enumerate(nodes):
        node.index = index
