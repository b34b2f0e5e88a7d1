"""Turns what may be wrong somewhere into faults and races, each with the path on which it shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.detours import close
from gpuasync_lsp.analysis.model.flow.fixpoint import follow_all_paths
from gpuasync_lsp.analysis.model.flow.lives import sites_in
from gpuasync_lsp.analysis.model.flow.stretches import Stretches, is_long
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
from gpuasync_lsp.analysis.model.slices import View
from gpuasync_lsp.analysis.model.state import LIVE
from gpuasync_lsp.analysis.model.witness import ALL_SEARCHES, GaveUp, Witness, Witnesses, drop_impossible_ways


def run(function: AsyncFunction) -> None:
    """Fill in the faults, races and pending work of `function`.

    Where something is unreadable, nobody asks for them: they may come of what is being typed."""
    function.run_on = None
    close(function)
    if function.nodes and function.analysed:
        drop_impossible_ways(function)
        flow = Flow(function)
        if is_long(function):
            stretches = Stretches(flow)
            stretches.run()
            function.run_on = partial(_run_on, stretches)
        else:
            follow_all_paths(flow)
        Conclusions(flow).draw()


def run_again(function: AsyncFunction) -> None:
    """Do the same for a function that was adapted."""
    if function.run_on is None or not function.run_on():
        function.forget_conclusions()
        run(function)


def _run_on(stretches: Stretches) -> bool:
    """Run a long function again where it was changed; tell whether it could be done."""
    function = stretches.flow.function
    for found in (function.faults, function.races, function.unwritten, function.lost):
        found.clear()
    if not stretches.again():
        return False
    Conclusions(stretches.flow).draw()
    return True


_Found = HandleFault | Race | Unwritten | None


class _Drawn(NamedTuple):
    """What came of something that may be wrong."""

    goal: Goal
    mask: int
    found: _Found
    spent: int
    """How much of the searches for paths it took; 0 for none."""
    gave_up: bool
    """Whether nothing was left to search with."""
    view: View | None = None
    """What decided about a search."""


@dataclass(slots=True)
class _Part:
    """What came of what was noted in one stretch."""

    notes: dict[Goal, int]
    faults: list[HandleFault] = field(default_factory=list[HandleFault])
    leaks: list[HandleFault] = field(default_factory=list[HandleFault])
    races: list[Race] = field(default_factory=list[Race])
    unwritten: list[Unwritten] = field(default_factory=list[Unwritten])
    lost: list[tuple[Buffer, LostBuffer]] = field(default_factory=list[tuple[Buffer, LostBuffer]])
    drawn: dict[int, _Drawn] = field(default_factory=dict[int, _Drawn])
    is_whole: bool = False
    """Whether nothing else decides about it: in a row of steps there is one path only."""


class _Kept(NamedTuple):
    """What came of goals and of what was noted together, by their identities: from one run to the next they
    stay where facts do."""

    goals: dict[int, _Drawn]
    parts: dict[int, _Part]


class Conclusions:
    """Draws them for one function. What came of a goal when they were last drawn is taken over, as the same
    object, where nothing is another on which it depends."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.function = flow.function
        self.branches = any(len(node.edges) > 1 for node in flow.function.nodes)
        self.trees: dict[Node, dict[Node, tuple[Node, Edge]]] = {}
        self.shortest_ways: dict[tuple[Node, Node], str] = {}
        """The words for them."""
        self.witnesses: Witnesses | None = None
        self.budget = ALL_SEARCHES
        self.gave_up = False
        self.lost: set[Buffer] = set()
        """Buffers of which it has been said."""
        before = self.function.drawn
        self._before = before if isinstance(before, _Kept) else _Kept({}, {})
        self._kept = _Kept({}, {})

    def draw(self) -> None:
        """Append to the faults and races of the function."""
        function, found = self.function, self.flow.notes.found
        parts = self.flow.notes.parts
        again = {goal.event for goal in found if goal.fault is Fault.EVENT_DESTROYED_TWICE}
        if again or len(function.nodes) > 1 or len(found) != sum(map(len, parts)):
            parts = [found]
        leaks: list[HandleFault] = []
        for part in parts:
            was = self._before.parts.get(id(part))
            if was is None or was.notes is not part:
                was = self.drawn_of(part, again)
            else:
                self._kept.goals.update(was.drawn)
            if was.is_whole:
                self._kept.parts[id(part)] = was
            function.faults += was.faults
            function.races += was.races
            function.unwritten += was.unwritten
            leaks += was.leaks
            for made, lost in was.lost:
                if made not in self.lost:
                    self.lost.add(made)
                    function.lost.append(lost)
        function.faults += leaks
        function.drawn = self._kept

    def drawn_of(self, notes: dict[Goal, int], again: Set[int]) -> _Part:
        """Return what comes of what was noted together; `again` are the events that are destroyed twice."""
        part, budget = _Part(notes), self.budget
        ends: dict[Handle, list[tuple[Goal, int]]] = {}
        for goal, mask in notes.items():
            if goal.fault is Fault.EVENT_LEAKED and goal.event in again:
                continue  # A loop that may not run: one cause is told once.
            if goal.buffer is not None:
                self.of_buffer(goal, mask, part)
            elif goal.fault is None:
                race = self.known(goal, mask, self.race)
                if isinstance(race, Race):
                    part.races.append(race)
            elif goal.fault is not Fault.LEAKED:
                fault = self.known(goal, mask, self.fault)
                if isinstance(fault, HandleFault):
                    part.faults.append(fault)
            elif goal.handle is not None:
                ends.setdefault(goal.handle, []).append((goal, mask))
        for handle, each in ends.items():
            if handle.kind is not Kind.STREAM:
                continue
            leak = self.known(*each[0], self.leak) if len(each) == 1 else self.leaked(handle, each)
            if isinstance(leak, HandleFault):
                part.leaks.append(leak)
        kept = self._kept.goals
        part.drawn = {key: kept[key] for key in map(id, notes) if key in kept}
        part.is_whole = len(self.function.nodes) == 1 and self.budget == budget > 0
        return part

    def known(self, goal: Goal, mask: int, draw: Callable[[Goal, int], _Found]) -> _Found:
        """Return what `draw` says of a goal, or what came of it before."""
        known, budget = self._before.goals.get(id(goal)), self.budget
        if known is None or known.goal is not goal or known.mask != mask or not self.stays(known):
            self.gave_up = False
            found = draw(goal, mask)
            spent = budget - self.budget
            view = self.searches().view(goal) if spent else None
            known = _Drawn(goal, mask, found, spent, self.gave_up, view)
            if self.gave_up and budget > 0:
                return known.found  # With more left to search, it may be another.
        else:
            self.budget -= known.spent
        self._kept.goals[id(goal)] = known
        return known.found

    def stays(self, known: _Drawn) -> bool:
        """Tell whether the search for a path comes to what it came to."""
        if known.gave_up:
            return self.budget <= 0
        if not known.spent:
            return True
        view = known.view
        return view is not None and known.spent < self.budget and self.searches().view(known.goal) is view

    def searches(self) -> Witnesses:
        """Return the searches for paths in the function."""
        if self.witnesses is None:
            self.witnesses = Witnesses(self.flow)
        return self.witnesses

    def race(self, goal: Goal, mask: int) -> Race | None:
        """Return a race of two accesses, None if there is no path to it; in a row of ops there is one path
        only."""
        first, second = goal.first, goal.second
        assert first is not None
        assert second is not None
        path: str | None = ""
        several = _is_one_of_several(first) or _is_one_of_several(second)
        if several or not self.in_a_row(first.op, second.op):
            start = None if first.op is second.op else first.op
            path = self.path(goal, start, or_nothing=several)[0]
        return None if path is None else Race(first, second, path)

    def of_buffer(self, goal: Goal, mask: int, part: _Part) -> None:
        """Add a read of what nothing has written, or a buffer that is lost, on some path."""
        buffer, read = goal.buffer, goal.second
        assert buffer is not None
        made = buffer.again or buffer
        plain = not self.branches or (read is None and made not in self.flow.memory.may_be_freed)
        if plain and read is not None:
            found = self.known(goal, mask, lambda goal, _: Unwritten(read, buffer, ""))
            if isinstance(found, Unwritten):
                part.unwritten.append(found)
            return
        path = "" if plain else self.path(goal, None, or_nothing=True)[0]
        if path is None:
            return
        if read is not None:
            part.unwritten.append(Unwritten(read, buffer, path))
        else:
            part.lost.append((made, LostBuffer(made, goal.op, path)))

    def fault(self, goal: Goal, mask: int) -> HandleFault | None:
        """Return that a handle is used, or destroyed again, after one of the waits in `mask`; None if no path
        comes there."""
        assert goal.fault is not None
        assert goal.handle is not None
        earlier = self.blamed(goal, mask)
        path: str | None = ""
        # Which stream a name is for may depend on the path, that it was destroyed on another one then.
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
        """Return the wait that destroyed the handle, best one in the same row of ops."""
        if goal.fault in (Fault.EVENT_DESTROYED_TWICE, Fault.EVENT_LEAKED):
            return None
        sites = sorted(map(self.function.sites.__getitem__, sites_in(mask)), key=self.function.place_of)
        row = [wait for wait in sites if self.in_a_row(wait.op, goal.op)]
        other = [wait for wait in sites if wait.op is not goal.op]
        return (row or other or sites)[0]

    def leak(self, goal: Goal, mask: int) -> HandleFault | None:
        """Return that a stream is alive at the one place where the function ends, or where it is made
        again."""
        assert goal.handle is not None
        return self.leaked(goal.handle, [(goal, mask)])

    def leaked(self, handle: Handle, ends: list[tuple[Goal, int]]) -> HandleFault | None:
        """Return the same of a stream where there are several."""
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
        """Tell whether `second` comes after `first` with no branch between."""
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
        """Return the words for a path to `goal`, None if there is none, and the path if one was searched.

        What would take too long to search counts as a path, or, with `or_nothing`, as none.
        """
        searches = self.searches()
        searches.budget = self.budget
        try:
            witness = searches.find(goal)
            words = None if witness is None else searches.words(goal, witness)
        except GaveUp:
            return (None if or_nothing else self.shortest(start or goal.op, goal.op)), None
        finally:
            self.budget = searches.budget
            self.gave_up = self.budget <= 0
        return words, witness

    def shortest(self, start: Operation, end: Operation) -> str:
        """Name the branches on a shortest way through one op to another, possible or not."""
        function = self.function
        first, last = function.node_of.get(start), function.node_of.get(end)
        if first is None or last is None:
            return ""
        if (first, last) not in self.shortest_ways:
            self.shortest_ways[first, last] = self.words_of_way(first, last)
        return self.shortest_ways[first, last]

    def words_of_way(self, first: Node, last: Node) -> str:
        """Name the branches on a shortest way to one node, and from there to another."""
        function = self.function
        arrive = [] if first is function.nodes[0] else self.way(function.nodes[0], first)
        go_on = self.way(first, last)
        if go_on is None:
            return ""
        words = [e.when for e in (*(arrive or []), *go_on) if e.when and e.when != "the loop runs"]
        text = " and ".join(dict.fromkeys(words[-3:]))
        if any(edge.back for edge in go_on):
            return "round the loop" + (f", where {text}" if text else "")
        return f"where {text}" if text else ""

    def way(self, start: Node, end: Node) -> list[Edge] | None:
        """Return the edges of a shortest way of at least one edge, or None without one."""
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
    """Tell whether it depends on the path which memory, or which stream, an access is about."""
    return access.buffer.is_name or (access.handle is not None and access.handle.kind is Kind.OPAQUE)


def _tree(start: Node) -> dict[Node, tuple[Node, Edge]]:
    """Return for each node that control can reach from `start` whence a shortest way of edges comes to it."""
    came: dict[Node, tuple[Node, Edge]] = {}
    work = deque([start])
    while work:
        node = work.popleft()
        for edge in node.edges:
            if edge.target not in came:
                came[edge.target] = (node, edge)
                work.append(edge.target)
    return came
