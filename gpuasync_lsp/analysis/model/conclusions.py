"""Turns possible problems into faults and races, each with a path on which it occurs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.flow.fixpoint import follow_all_paths
from gpuasync_lsp.analysis.model.flow.lives import sites_in
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import (
    Access,
    AsyncFunction,
    Edge,
    Fault,
    Handle,
    HandleFault,
    Kind,
    LostBuffer,
    Node,
    Race,
    Unwritten,
    Wait,
)
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.state import LIVE
from gpuasync_lsp.analysis.model.witness import (
    ALL_SEARCHES,
    GaveUp,
    Witness,
    Witnesses,
    described,
    drop_impossible_ways,
)


def run(function: AsyncFunction) -> None:
    """Interpret `function` over all paths, and store its faults, races and leaks in it.

    Does nothing for a function with ops that do not parse, since findings may be artifacts of such ops."""
    if function.nodes and function.analyzed:
        drop_impossible_ways(function)
        flow = Flow(function)
        follow_all_paths(flow)
        Conclusions(flow).draw()


class Conclusions:
    """Searches for a path to each possible problem of one function, and stores the confirmed ones."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.function = flow.function
        self.branches = any(len(node.edges) > 1 for node in flow.function.nodes)
        self.trees: dict[Node, dict[Node, tuple[Node, Edge]]] = {}
        self.shortest_ways: dict[tuple[Node, Node], tuple[Iterable[str], bool]] = {}
        """Results of `path_conditions`, by first and last node."""
        self.witnesses: Witnesses | None = None
        self.budget = ALL_SEARCHES
        self.lost: set[Buffer] = set()
        """Buffers whose leak has been recorded."""

    def draw(self) -> None:
        """Append the possible problems that occur on some path to the findings of the function."""
        function, notes = self.function, self.flow.notes.found
        again = {goal.event for goal in notes if goal.fault is Fault.EVENT_DESTROYED_TWICE}
        ends: dict[Handle, list[tuple[Goal, int]]] = {}
        for goal, mask in notes.items():
            if goal.fault is Fault.EVENT_LEAKED and goal.event in again:
                continue  # Both faults have one cause: a loop that may not run.
            if goal.buffer is not None:
                self.of_buffer(goal)
            elif goal.fault is None:
                race = self.race(goal)
                if race is not None:
                    function.races.append(race)
            elif goal.fault is not Fault.LEAKED:
                fault = self.fault(goal, mask)
                if fault is not None:
                    function.faults.append(fault)
            elif goal.handle is not None:
                ends.setdefault(goal.handle, []).append((goal, mask))
        for handle, each in ends.items():
            leak = self.leaked(handle, each) if handle.kind is Kind.STREAM else None
            if leak is not None:
                function.faults.append(leak)

    def searches(self) -> Witnesses:
        """Return the path searches of the function, created at the first call."""
        if self.witnesses is None:
            self.witnesses = Witnesses(self.flow)
        return self.witnesses

    def race(self, goal: Goal) -> Race | None:
        """Return the race of `goal`, or None if no path leads to it; straight-line code needs no search."""
        first, second = goal.first, goal.second
        assert first is not None
        assert second is not None
        path: str | None = ""
        several = _is_one_of_several(first) or _is_one_of_several(second)
        if second.dependent is not None:
            path = "round the loop" if first.op is second.op else ""
        elif several or not self.in_a_row(first.op, second.op):
            start = None if first.op is second.op else first.op
            path = self.path(goal, start, or_nothing=several)[0]
        return None if path is None else Race(first, second, path)

    def of_buffer(self, goal: Goal) -> None:
        """Record the uninitialized read or the leaked buffer of `goal`, if some path leads to it."""
        function, buffer, read = self.function, goal.buffer, goal.second
        assert buffer is not None
        made = buffer.again or buffer
        plain = not self.branches or (read is None and made not in self.flow.memory.may_be_freed)
        path = "" if plain else self.path(goal, None, or_nothing=True)[0]
        if path is None:
            return
        if read is not None:
            function.unwritten.append(Unwritten(read, buffer, path))
        elif made not in self.lost:
            self.lost.add(made)
            function.lost.append(LostBuffer(made, goal.op, path if path or plain else "on some path"))

    def fault(self, goal: Goal, mask: int) -> HandleFault | None:
        """Return the fault of a handle that `goal` describes, or None if no path leads to it.

        `mask` is the state of the handle: the waits that may have destroyed it, and whether it may be
        alive."""
        assert goal.fault is not None
        assert goal.handle is not None
        earlier = self.blamed(goal, mask)
        path: str | None = ""
        # An opaque handle may refer to different streams per path, and one of them may be destroyed.
        several = bool(mask & LIVE) and goal.handle.kind is Kind.OPAQUE
        if several or earlier is None or not self.in_a_row(earlier.op, goal.op):
            start = earlier.op if earlier is not None else None
            path, witness = self.path(goal, start, or_nothing=several)
            if witness is not None and earlier is not None:
                earlier = self.blamed(goal, witness.mask)
        if path is None:
            return None
        return HandleFault(goal.fault, goal.handle, goal.op, goal.operand, earlier, path, not mask & LIVE)

    def blamed(self, goal: Goal, mask: int) -> Wait | None:
        """Return the wait in `mask` that destroyed the handle, preferably one in the same block."""
        if goal.fault in (Fault.EVENT_DESTROYED_TWICE, Fault.EVENT_LEAKED):
            return None
        sites = [self.function.waits[site] for site in sites_in(mask)]
        row = [wait for wait in sites if self.in_a_row(wait.op, goal.op)]
        other = [wait for wait in sites if wait.op is not goal.op]
        return (row or other or sites)[0]

    def leaked(self, handle: Handle, ends: list[tuple[Goal, int]]) -> HandleFault | None:
        """Return the leak of the stream `handle`, or None if no path leads to one of `ends`.

        `ends` pairs each goal at which the stream may still be alive with the stream's state there."""
        mask = 0
        for _, here in ends:
            mask |= here
        certain = not mask & ~LIVE
        for goal in [goal for goal, here in ends if here & LIVE]:
            path, _ = ("", None) if certain else self.path(goal, handle.op)
            if path is not None:
                return HandleFault(Fault.LEAKED, handle, goal.op, None, None, path, certain)
        return None

    def in_a_row(self, first: Operation, second: Operation) -> bool:
        """Return whether `second` follows `first` in straight-line code."""
        function = self.function
        node = function.node_of.get(first)
        return (
            node is not None
            and node is function.node_of.get(second)
            and function.order[first] < function.order[second]
        )

    def path(
        self, goal: Goal, start: Operation | None, *, or_nothing: bool = False
    ) -> tuple[str | None, Witness | None]:
        """Search for a path to `goal`; return its description and the path, or (None, None).

        If the search takes too long, return the description of a shortest path from `start`, or None if
        `or_nothing`.
        """
        searches = self.searches()
        searches.budget = self.budget
        try:
            witness = searches.find(goal)
            words = None if witness is None else searches.words(goal, witness)
        except GaveUp:
            return (None if or_nothing else self.shortest(goal, start or goal.op)), None
        finally:
            self.budget = searches.budget
        return words, witness

    def shortest(self, goal: Goal, start: Operation) -> str:
        """Describe the branches on a shortest path from the function's entry to `goal` through `start`.

        The path may be infeasible."""
        function = self.function
        first, last = function.node_of.get(start), function.node_of.get(goal.op)
        if first is None or last is None:
            return ""
        if (first, last) not in self.shortest_ways:
            self.shortest_ways[first, last] = self.path_conditions(first, last)
        conditions, repeats = self.shortest_ways[first, last]
        return described(goal, conditions, repeats=repeats)

    def path_conditions(self, first: Node, last: Node) -> tuple[Iterable[str], bool]:
        """Return the conditions on a shortest path from the entry to `last` through `first`, and whether a
        loop repeats between the two."""
        function = self.function
        arrive = [] if first is function.nodes[0] else self.way(function.nodes[0], first)
        go_on = self.way(first, last)
        if go_on is None:
            return (), False
        words = [e.when for e in (*(arrive or []), *go_on) if e.when and e.when != "the loop runs"]
        return dict.fromkeys(words[-3:]), any(edge.back for edge in go_on)

    def way(self, start: Node, end: Node) -> list[Edge] | None:
        """Return the edges of a shortest path, at least one, or None if there is no path."""
        came = self.trees.get(start)
        if came is None:
            came = self.trees[start] = _tree(start)
        if end not in came:
            return None
        edges: list[Edge] = []
        node = end
        while not edges or node is not start:
            node, edge = came[node]
            edges.append(edge)
        return edges[::-1]


def _is_one_of_several(access: Access) -> bool:
    """Return whether the buffer or the stream of an access may differ between paths."""
    return access.buffer.is_name or (access.handle is not None and access.handle.kind is Kind.OPAQUE)


def _tree(start: Node) -> dict[Node, tuple[Node, Edge]]:
    """Map each node reachable from `start` to its predecessor on a shortest path and the edge between
    them."""
    came: dict[Node, tuple[Node, Edge]] = {}
    work = deque([start])
    while work:
        node = work.popleft()
        for edge in node.edges:
            if edge.target not in came:
                came[edge.target] = (node, edge)
                work.append(edge.target)
    return came
