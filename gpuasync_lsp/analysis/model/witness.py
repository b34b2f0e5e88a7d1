"""Searches for a single path on which a fault occurs, and describes the conditions on the path.

Facts joined over all paths show possible faults. A path with the fault confirms it, and shows users the
conditions. Without such a path, nothing is reported, for example if two parts of the fault need opposite
outcomes of one condition. Paths with equal facts about the goal are treated as one, so that the search
terminates in loops.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import Subject, Test, constant, is_value, truth
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import AsyncFunction, Edge, Fault, Handle, Kind, Node
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.iterations import Decided, Loops, decided_by_loops
from gpuasync_lsp.analysis.model.slices import Slices
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.analysis.model.terms import LATER_ITERATION
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text.effort import spend

_ONE_SEARCH = 20_000
ALL_SEARCHES = 200_000
"""The budget of all searches in a function; `_ONE_SEARCH` is the budget of one search.

Both count copied facts and executed steps, and correspond to some tenths of a second. Goals that are
unconfirmed when the budget is exhausted count as possible."""
_NAMED = 4
"""The maximum number of conditions that a finding describes."""

_RUNS = "the loop runs"

Known = dict[Subject, Test]


class Witness(NamedTuple):
    """A path that reaches the goal of a search."""

    edges: tuple[Edge, ...]
    mask: int
    """The mask of possible states of the handle at the goal."""


class GaveUp(Exception):
    """Raised if a search exceeds its budget."""


class _Path(NamedTuple):
    node: Node
    state: State
    known: Known
    before: _Path | None
    edge: Edge | None

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges of this path, from the function's entry."""
        found: list[Edge] = []
        path: _Path | None = self
        while path is not None and path.edge is not None:
            found.append(path.edge)
            path = path.before
        return tuple(reversed(found))


class Witnesses:
    """Path searches in one function, with a shared budget."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.function: AsyncFunction = flow.function
        self.budget = ALL_SEARCHES
        self._slices = Slices(self.function)
        self.groups = _groups(self.function)
        self.subjects = _subjects(self.function)
        self.live_names = _live_names(self.function)

    def find(
        self, goal: Goal, without: str = "", rather_not: AbstractSet[str] = frozenset()
    ) -> Witness | None:
        """Return a shortest path to `goal`, without edges with the condition `without`; None if there is
        none.

        If `rather_not` is not empty, return a path with few edges that have these conditions instead. Raises
        `GaveUp`.
        """
        # A search that ignores conditions nearly always finds a path, and is tried first: conditions
        # multiply the states in a loop with many branches.
        found, is_all = self._search(goal, without, rather_not, by_conditions=False)
        if found is None and not is_all:
            found, _ = self._search(goal, without, rather_not, by_conditions=True)
        return found

    def _search(
        self, goal: Goal, without: str, rather_not: AbstractSet[str], *, by_conditions: bool
    ) -> tuple[Witness | None, bool]:
        """Search like `find`; also return whether the search was exhaustive.

        Without `by_conditions`, paths that differ only in known conditions count as one.
        """
        if self.budget <= 0:
            raise GaveUp
        flow, notes, project = self.flow, self.flow.notes, self._projection(goal)
        steps = self._slices.of(goal)
        leaves = goal.buffer is not None or goal.fault in (Fault.LEAKED, Fault.EVENT_LEAKED)
        notes.look_for(goal)
        # An access to one of several buffers may race with any earlier run of an op, not only with the last.
        first = goal.first
        several = 1 << first.bit if first is not None and first.buffer.is_name and first.bit >= 0 else 0
        begins = self.function.node_of.get(goal.first_op) if goal.first_op is not None else None
        most, spent, is_all = min(_ONE_SEARCH, self.budget), 0, True
        start = _Path(self.function.nodes[0], flow.start(), {}, None, None)
        work, seen = deque([start]), dict[object, object]()
        try:
            while work:
                path = work.popleft()
                state, relevant = path.state, steps[path.node]
                spent += len(relevant) + self._slices.weight
                spend(self._slices.weight)
                if spent > most:
                    raise GaveUp
                if path.node is begins and several & state.seen & ~state.kept:
                    work.append(path._replace(state=state.copy()))
                    work[-1].state.kept = several
                flow.by(relevant, state)
                if leaves:
                    flow.leave(path.node, state)
                if notes.reached:
                    return Witness(path.edges(), notes.reached), is_all
                for edge in path.node.edges:
                    known = _along(edge, path.known, self.subjects)
                    if known is None or (without and edge.when == without):
                        continue
                    given = flow.along(edge, state).copy()
                    conditions = frozenset(known.values())
                    key = (edge.target, project(edge.target, given), conditions if by_conditions else None)
                    if key in seen:
                        is_all = is_all and seen[key] == conditions
                        continue
                    seen[key] = conditions
                    after = _Path(edge.target, given, known, path, edge)
                    if rather_not and edge.when not in rather_not:
                        work.appendleft(after)
                    else:
                        work.append(after)
            return None, is_all
        finally:
            self.budget -= spent
            notes.look_for(None)

    def words(self, goal: Goal, witness: Witness) -> str:
        """Describe the conditions of `witness` that all paths to `goal` share; empty if there are none."""
        if goal.fault is not Fault.LEAKED:
            goal = replace(goal, site=witness.mask & self.flow.lives.gone)
        choices = list(dict.fromkeys(_whens(witness, self.subjects)))
        needed: list[str] = []
        try:
            if len(choices) > 1 and (other := self.find(goal, rather_not=set(choices))) is not None:
                choices = [when for when in choices if when in _whens(other, self.subjects)]
            while choices:
                when = choices.pop(0)
                other = self.find(goal, when)
                if other is None:
                    needed.append(when)
                else:
                    choices = [when for when in choices if when in _whens(other, self.subjects)]
        except GaveUp:
            needed += choices
        return described(goal, needed[-_NAMED:], repeats=any(edge.back for edge in witness.edges))

    def _projection(self, goal: Goal) -> Callable[[Node, State], object]:
        """Return a function that selects the facts at a node that decide whether a path reaches `goal`."""
        handles = len(self.function.handles)
        if goal.handle is not None:
            indices = list(self.groups[goal.handle.index])
            if goal.event >= 0:
                indices.append(handles + goal.event)

            opaque = sum(1 << h.index for h in self.function.handles if h.kind is Kind.OPAQUE)
            opaque &= ~(1 << goal.handle.index)

            def of_handles(node: Node, state: State) -> object:
                gone = opaque & ~self.live_names.get(node, (0, 0))[0]
                matter = [index for index in indices if not gone >> index & 1]
                lives = tuple(state.life[index] for index in matter)
                return lives, tuple(state.holds.get(index, 0) for index in matter)

            return of_handles
        live = self.live_names

        def of_names(node: Node, state: State) -> object:
            handles, names = live.get(node, (0, 0))
            holds = tuple((n, mask) for n, mask in state.holds.items() if handles >> n & 1)
            return holds, tuple((n, places) for n, places in state.bound.items() if names >> n & 1)

        buffer, first = goal.buffer, goal.first
        if buffer is not None:
            writers = self.flow.memory.writers.get(buffer, 0)
            made = buffer.again or buffer
            both = 1 << made.index | (1 << made.earlier.index if made.earlier is not None else 0)
            return lambda node, state: (
                state.surely & writers,
                state.owned & both,
                of_names(node, state),
            )
        assert first is not None
        bit = first.bit
        one = 1 << bit if bit >= 0 else 0
        if first.mode is Mode.FREE:
            return lambda node, state: (tuple(state.freed), of_names(node, state))

        def of_access(node: Node, state: State) -> object:
            done = frozenset([index for index, mask in state.done.items() if mask & one])
            place = state.where.get(bit), state.fresh >> bit & 1, state.stale >> bit & 1
            mine = [mask >> bit & 1 for mask in (state.seen, state.host, state.kept)]
            return *mine, done, place, of_names(node, state)

        return of_access


def described(goal: Goal, conditions: Iterable[str], *, repeats: bool) -> str:
    """Describe a path to `goal` by its conditions, in their order; `repeats` if it takes a back edge.

    A condition that a loop changes on the path is described as a change."""
    clauses: list[str] = []
    values: dict[str, list[str]] = {}
    for condition in conditions:
        subject, verb, value = condition.rpartition(" is ")
        if verb and (value in ("true", "false") or value.isdigit()):
            values.setdefault(subject, []).append(value)
        else:
            clauses.append(condition)
    changes = [
        f"{subject} is first {' and then '.join(each)}" for subject, each in values.items() if each[1:]
    ]
    clauses += [f"{subject} is {each[0]}" for subject, each in values.items() if not each[1:]]
    leaks = goal.buffer is not None or goal.fault in (Fault.LEAKED, Fault.EVENT_LEAKED)
    if leaks and repeats and not changes:
        clauses.insert(0, "the loop repeats")
    text = f"if {' and '.join(clauses + changes)}" if clauses or changes else ""
    return f"{LATER_ITERATION}{', ' if text else ''}{text}" if repeats and not leaks else text


def _whens(witness: Witness, subjects: _Tested) -> list[str]:
    """Return the conditions on a path, except those that earlier ones imply."""
    found: list[str] = []
    known: Known | None = {}
    for edge in witness.edges:
        before = known.get(edge.test.subject) if known is not None and edge.test is not None else None
        is_implied = before is not None and edge.test is not None and edge.test.follows_from(before)
        if edge.when and edge.when != _RUNS and not is_implied:
            found.append(edge.when)
        known = _along(edge, known, subjects) if known is not None else None
    return found


def drop_impossible_ways(function: AsyncFunction) -> None:
    """Remove edges from the graph that no path can take because their conditions contradict earlier ones."""
    subjects = _subjects(function)
    if not subjects.loops.decided and not any(len(nodes) > 1 for nodes in tested(function).values()):
        return
    taken: set[Edge] = set()
    work: list[tuple[Node, Known]] = [(function.nodes[0], {})]
    seen: set[object] = set()
    while work:
        spend()
        if len(seen) > _ONE_SEARCH:
            return
        node, known = work.pop()
        for edge in node.edges:
            after = _along(edge, known, subjects)
            if after is not None:
                taken.add(edge)
                key = (edge.target, frozenset(after.values()))
                if key not in seen:
                    seen.add(key)
                    work.append((edge.target, after))
    for node in function.nodes:
        node.edges = [edge for edge in node.edges if edge in taken]


class _Tested(NamedTuple):
    """The subjects that a function's branches test, with their definitions and liveness."""

    defined: dict[Node, set[Subject]]
    """Per node, the subjects that depend on a value defined in the node."""
    live: dict[Node, set[Subject]]
    """Per node, the subjects that a later branch tests before they are redefined."""
    loops: Loops
    """The constraints that loops put on the subjects."""


_NOTHING = Decided()


def _along(edge: Edge, known: Known, subjects: _Tested) -> Known | None:
    """Return the known tests after `edge`; None if they exclude the edge."""
    requires, begins = subjects.loops.decided.get(edge, _NOTHING) if edge.iteration is not None else _NOTHING
    for test in requires if edge.test is None else (edge.test, *requires):
        before = known.get(test.subject)
        if before is not None and not test.agrees(before):
            return None
        known = {**known, test.subject: test.with_known(before)}
    matter = subjects.live.get(edge.target, ())
    if not known and not (matter and (edge.copies or begins)):
        return known
    gone = subjects.defined.get(edge.target, ())
    after = {subject: known[subject] for subject in known if subject in matter and subject not in gone}
    for target, value in edge.copies:
        subject = is_value(target)
        after.pop(subject, None)
        if subject in matter and (copied := _copied(subject, value, known)) is not None:
            after[subject] = copied
    after.update((test.subject, test) for test in begins if test.subject in matter)
    return after


def _copied(subject: Subject, value: SSAValue, known: Known) -> Test | None:
    """Return the known test of `subject` after `value` is assigned to it; None if nothing is known."""
    number = constant(value)
    if number is not None:
        return Test(subject, number)
    same = known.get(is_value(value))
    if same is not None:
        return same._replace(subject=subject)
    test = truth(value, True) if value.type == i1 else True
    before = known.get(test.subject) if isinstance(test, Test) else None
    if not isinstance(test, Test) or before is None:
        return None
    if not test.agrees(before):
        return Test(subject, 0)
    return Test(subject, 1) if before.equals is not None and before.equals == test.equals else None


def tested(function: AsyncFunction) -> dict[Subject, list[Node]]:
    """Map each tested subject to the nodes that end with a branch or a select on it."""
    found: dict[Subject, list[Node]] = {}
    for node in function.nodes:
        subjects = {edge.test.subject: None for edge in node.edges if edge.test is not None}
        for subject in subjects:
            found.setdefault(subject, []).append(node)
    return found


def _groups(function: AsyncFunction) -> dict[int, frozenset[int]]:
    """Map each handle to the handles that assignments connect with it, directly or indirectly."""
    group = {handle.index: {handle.index} for handle in function.handles}

    def unite(a: Handle, b: Handle) -> None:
        mine, theirs = group[a.index], group[b.index]
        if mine is not theirs:
            mine |= theirs
            for index in theirs:
                group[index] = mine

    for handle in function.handles:
        for source in handle.sources:
            if isinstance(source, Handle):
                unite(handle, source)
    for node in function.nodes:
        for edge in node.edges:
            for target, source in edge.passes:
                unite(target, source)
    return {index: frozenset(members) for index, members in group.items()}


def _subjects(function: AsyncFunction) -> _Tested:
    """Return the definitions and the liveness of the subjects that branches test."""
    defined: dict[Node, set[Subject]] = {}
    live: dict[Node, set[Subject]] = {}
    before: dict[Node, list[Node]] = {}
    for node in function.nodes:
        for edge in node.edges:
            before.setdefault(edge.target, []).append(node)
    nodes_by_subject = tested(function)
    loops = decided_by_loops(function.nodes, nodes_by_subject)
    for node in function.nodes:
        for edge in node.edges:
            for test in loops.decided.get(edge, _NOTHING).requires if edge.iteration is not None else ():
                nodes_by_subject[test.subject].append(node)
    for subject, nodes in nodes_by_subject.items():
        values = [value for value in subject.values if isinstance(value, SSAValue)]
        nodes_of = [loops.made.get(value) or _node_of(function, value) for value in values]
        made = {node for node in nodes_of if node is not None}
        for node in made:
            defined.setdefault(node, set()).add(subject)
        work, seen = list(nodes), set[Node]()
        while work:
            spend()
            node = work.pop()
            if node not in seen:
                seen.add(node)
                live.setdefault(node, set()).add(subject)
                if node not in made:
                    work += before.get(node, ())
    return _Tested(defined, live, loops)


def _node_of(function: AsyncFunction, value: SSAValue) -> Node | None:
    """Return the node that defines `value`; None for an argument of the function."""
    owner = value.owner
    if isinstance(owner, Operation):
        return function.node_of.get(owner)
    if owner is function.op.regions[0].blocks[0]:
        return None
    first = owner.first_op
    return function.node_of.get(first) if first is not None else None


def _live_names(function: AsyncFunction) -> dict[Node, tuple[int, int]]:
    """Return, per node, the masks of live opaque handles and of live memrefs that may refer to several
    buffers.

    Returns an empty dict if the function has neither."""
    if not function.names_of_memory and not any(handle.kind is Kind.OPAQUE for handle in function.handles):
        return {}
    found: dict[Node, tuple[int, int]] = {}
    before: dict[Node, list[tuple[Node, tuple[int, int]]]] = {}
    """Per node, its predecessors, each with the masks of handles and memrefs that the edge assigns."""
    for node in function.nodes:
        handles = names = 0
        for step in node.steps:
            mentioned = [handle for handle in (step.handle, step.other) if handle is not None]
            deps = step.source.deps if step.source is not None else ()
            mentioned += [function.tokens[dep] for dep in deps if dep in function.tokens]
            for handle in mentioned:
                handles |= (handle.kind is Kind.OPAQUE) << handle.index
            for access in step.accesses:
                names |= access.buffer.is_name << access.buffer.index
        for edge in node.edges:
            given = sum(1 << handle.index for handle in dict.fromkeys(target for target, _ in edge.passes))
            bound = sum(1 << name.index for name in dict.fromkeys(name for name, _ in edge.moves))
            before.setdefault(edge.target, []).append((node, (given, bound)))
            for _, handle in edge.passes:
                handles |= (handle.kind is Kind.OPAQUE) << handle.index
            for _, place in edge.moves:
                names |= place.buffer.is_name << place.buffer.index
        for value in node.ends.operands if node.ends is not None else ():
            names |= sum(1 << n.index for n in function.names_of_memory if n.value is value)
        found[node] = handles, names
    work = list(function.nodes)
    while work:
        spend()
        node = work.pop()
        handles, names = found[node]
        for earlier, (given, bound) in before.get(node, ()):
            known = found[earlier]
            more = known[0] | handles & ~given, known[1] | names & ~bound
            if more != known:
                found[earlier] = more
                work.append(earlier)
    return found
