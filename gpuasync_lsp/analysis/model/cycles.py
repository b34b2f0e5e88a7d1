"""Strongly connected components of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def strongly_connected(edges: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield the strongly connected components of a graph in reverse topological order (Tarjan's algorithm).

    Edges to nodes that are not keys of `edges` are ignored.
    """
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    place: dict[str, int] = {}
    """Position of each node on the current path."""
    for root in edges:
        work = [(root, iter(edges[root]))] if root not in order else []
        while work:
            node, rest = work[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                place[node] = len(path)
                path.append(node)
            following = next((each for each in rest if each in edges and each not in order), None)
            if following is not None:
                work.append((following, iter(edges[following])))
                continue
            work.pop()
            lowest[node] = min((lowest[each] for each in edges[node] if each in place), default=lowest[node])
            lowest[node] = min(lowest[node], order[node])
            if lowest[node] == order[node]:
                cycle = path[place[node] :]
                del path[place[node] :]
                for each in cycle:
                    del place[each]
                yield cycle
