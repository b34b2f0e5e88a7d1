"""A function with branches, run so that after an edit only the nodes are looked at again that it concerns.

For each node the facts before it are kept, and what was noted in it. After an edit the facts are carried
along the edges once more; where the steps of a node are the same, and the facts before it are but for
accesses that came and went, and that nothing in the node meets, what was noted there stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpuasync_lsp.analysis.model.flow import row
from gpuasync_lsp.analysis.model.flow.difference import (
    Counted,
    Difference,
    come_and_gone,
    is_simple,
    renumber,
    take_over,
    together,
    waits,
)
from gpuasync_lsp.analysis.model.flow.fixpoint import settled
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, Node, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.text.effort import spend


def is_long(function: AsyncFunction) -> bool:
    """Tell whether it pays to keep what is known of the nodes of `function`."""
    return len(function.nodes) > 1 and sum(len(node.steps) for node in function.nodes) >= row.LONG


def _reachable(nodes: Sequence[Node]) -> set[Node]:
    """Return `nodes`, and all that a path leads to from them."""
    found, work = {*nodes}, [*nodes]
    while work:
        for edge in work.pop().edges:
            if edge.target not in found:
                found.add(edge.target)
                work.append(edge.target)
    return found


class _Known(NamedTuple):
    """How a node was run."""

    steps: Sequence[Step]
    """As they were then."""
    state: State | None
    """The facts before it; None where no path comes."""
    notes: dict[Goal, int]


class Nodes:
    """The nodes of a function and how they were run."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._known: dict[Node, _Known] = {}
        self._counted = Counted(flow.function)
        self._edits = 0
        self._gone: list[Access] = []
        """Accesses that were gone in earlier edits."""

    def run(self) -> None:
        """Note what is wrong, and keep the facts before each node."""
        function = self.flow.function
        entry = settled(self.flow)
        function.reached = set(entry)
        self._known = {node: self._run(node, entry.get(node)) for node in function.nodes}
        self._tell()

    def again(self) -> bool:
        """Do the same after an edit of what touches memory, or waits; False where the function has to be run
        anew."""
        function, flow = self.flow.function, self.flow
        self._edits += 1
        if self._edits > row.AGAIN or self._counted.has_other_buffers or [*self._known] != function.nodes:
            return False
        edited = [node for node, known in self._known.items() if known.steps != node.steps]
        old = [step for node in edited for step in self._known[node].steps]
        new = [step for node in edited for step in node.steps]
        gone, made = come_and_gone(old, new)
        if not all(map(is_simple, (*gone, *made))):
            return False
        stay = {*new}
        for step in old:
            if step not in stay:
                function.pending.pop(step.op, None)
        renumber(flow, gone, made)
        function.rank_accesses()
        others = self._counted.anew(
            flow,
            (known.state for known in self._known.values() if known.state is not None),
            waited=waits({*old} ^ stay),
        )
        self._gone += gone
        difference = Difference(flow, gone, made, self._gone)
        behind = _reachable(edited)
        before = {
            node: known.state
            for node, known in self._known.items()
            if known.state is not None and node not in behind
        }
        entry = settled(flow, before)
        function.reached = set(entry)
        for node in function.nodes:
            state, known = entry.get(node), self._known[node]
            if node not in behind:
                continue
            if node not in edited and self._stays(node, known.state, state, difference, others):
                self._known[node] = known._replace(state=state)
            else:
                self._known[node] = self._run(node, state)
        self._tell()
        return True

    def _run(self, node: Node, state: State | None) -> _Known:
        """Note what is wrong in `node`, with these facts before it."""
        notes, found = self.flow.notes, dict[Goal, int]()
        if state is not None:
            notes.report, notes.found = True, found
            self.flow.through(node, state.copy())
            notes.report = False
        return _Known(node.steps.copy(), state, found)

    def _stays(
        self,
        node: Node,
        old: State | None,
        new: State | None,
        difference: Difference,
        others: list[int] | None,
    ) -> bool:
        """Tell whether what was noted in `node` still holds; `others` are the numbers of handles and events
        that were not there before, None where none came or went."""
        if old is None or new is None:
            return old is new
        if node.ends is not None and others is not None:
            return False
        take_over(others, new, old)
        spend(1 + len(new.life) // 64)
        if not difference.meets(old, new, done=False):
            return False
        if difference.is_over(old, new):
            return True
        spend(len(node.steps) // 4)
        pending = difference.through(node.steps, difference.alone(old, new))
        if pending is None:
            return False
        difference.note(pending)
        return True

    def _tell(self) -> None:
        """Put together what was noted."""
        self.flow.notes.found = together(known.notes for known in self._known.values())
