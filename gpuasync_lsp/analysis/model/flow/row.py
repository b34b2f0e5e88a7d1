"""A function without branches, run so that after an edit it is run again from there only.

The facts are kept at intervals. After an edit of work on streams, the run begins at the last of them before
the edit, and ends where the facts meet those of the run before: where they differ in nothing but accesses
that the host knows to be done, what follows goes as it went. Where these accesses are all that differs, and
may still run, the rest is followed for them alone: facts about one access do not depend on those about
others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

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
from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.text.effort import spend

_SHORTEST = 64
"""Steps between two kept states, at least."""
_MARKS = 48
"""How many states are kept, at most twice of it after edits."""
AGAIN = 64
"""Edits after which a function is run anew: numbers of accesses that are gone are not used again."""


LONG = 500
"""Steps of a function from which on states are kept."""


def is_long(function: AsyncFunction) -> bool:
    """Tell whether it pays to run `function` as a row, and it is one."""
    return len(function.nodes) == 1 and len(function.nodes[0].steps) >= LONG


@dataclass(eq=False, slots=True)
class _Mark:
    """The facts before a step, and what was noted from there to the next mark."""

    index: int
    state: State
    notes: dict[Goal, int] = field(default_factory=dict[Goal, int])


class Row:
    """The one node of a function and how it was run."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._steps: list[Step] = []
        """As they were when they were run."""
        self._marks: list[_Mark] = []
        self._counted = Counted(flow.function)
        self._edits = 0
        self._gone: list[Access] = []
        """Accesses that were gone in earlier edits: what was noted of them may still be in the facts."""

    def run(self) -> None:
        """Note what is wrong, and keep the facts at intervals."""
        (node,) = self.flow.function.nodes
        self._steps = node.steps.copy()
        self._counted = Counted(self.flow.function)
        self._marks = []
        spend(1 + len(node.steps))
        self._go_on(self.flow.start(), 0, [])
        self.flow.function.reached = {node}
        self._tell()

    def again(self) -> bool:
        """Do the same after an edit of what copies, fills and launches do, from there; False where it cannot
        be done, and the function has to be run anew."""
        function, flow = self.flow.function, self.flow
        steps, old = function.nodes[0].steps, self._steps
        self._edits += 1
        if self._edits > AGAIN or self._counted.has_other_buffers:
            return False
        spend(1 + len(steps) // 8)
        most = min(len(old), len(steps))
        first = next((n for n in range(most) if old[n] is not steps[n]), most)
        last = next((n for n in range(most - first) if old[-1 - n] is not steps[-1 - n]), most - first)
        edited = (*old[first : len(old) - last], *steps[first : len(steps) - last])
        gone, made = come_and_gone(old[first : len(old) - last], steps[first : len(steps) - last])
        if not all(map(is_simple, (*gone, *made))):
            return False
        for step in old[first : len(old) - last]:
            function.pending.pop(step.op, None)
        renumber(flow, gone, made)
        kept = [mark for mark in self._marks if mark.index <= first]
        begin = kept.pop()
        delta = len(steps) - len(old)
        behind = [
            _Mark(mark.index + delta, mark.state, mark.notes)
            for mark in self._marks
            if mark.index >= len(old) - last
        ]
        others = self._counted.anew(flow, (mark.state for mark in self._marks), waited=waits(edited))
        self._steps, self._marks = steps.copy(), kept
        self._gone += gone
        self._go_on(begin.state, begin.index, behind, Difference(flow, gone, made, self._gone), others)
        self._tell()
        return True

    def _go_on(
        self,
        state: State,
        at: int,
        before: list[_Mark],
        difference: Difference | None = None,
        others: list[int] | None = None,
    ) -> None:
        """Run on from step `at`; where the facts meet those `before`, take these and what was noted there.

        `others` are the numbers of handles and events that were not there before; None where none came or
        went. Nothing behind the edit has to do with them but the end of the function."""
        flow, node = self.flow, self.flow.function.nodes[0]
        steps, notes = node.steps, flow.notes
        interval = max(_SHORTEST, len(steps) // _MARKS)
        notes.report = True
        expected = {mark.index: number for number, mark in enumerate(before)}
        state = state.copy()
        followed = difference is None
        while True:
            number = expected.get(at)
            if number is not None and difference is not None:
                for mark in before[number:]:
                    take_over(others, state, mark.state)
                met = difference.meets(before[number].state, state)
                if met:
                    for mark in before[number:]:
                        difference.add_to(mark.state)
                elif not followed and difference.meets(before[number].state, state, done=False):
                    followed = True
                    notes.report = False
                    met = self._follow(difference, before[number:], state)
                    notes.report = True
                if met:
                    self._marks += before[number:]
                    if others is not None:
                        self._leave()
                    break
            mark = _Mark(at, state.copy())
            self._marks.append(mark)
            if at == len(steps):
                self._leave()
                break
            following = [index for index in expected if index > at]
            end = min([at + interval, len(steps), *following])
            notes.found = mark.notes
            for step in steps[at:end]:
                flow.step(step, state)
            spend(end - at)
            at = end
        notes.report = False

    def _follow(self, difference: Difference, marks: list[_Mark], state: State) -> bool:
        """Go on from `state`, which meets the first of `marks`, with nothing but the accesses that differ;
        make the facts at all of `marks` those of this run. False where that cannot be done."""
        steps = self.flow.function.nodes[0].steps
        facts = difference.alone(marks[0].state, state)
        found: list[State] = []
        pending: dict[Operation, int] = {}
        ends = [*(mark.index for mark in marks[1:]), len(steps)]
        at = marks[0].index
        for end in ends:
            found.append(facts.copy())
            spend((end - at) // 4)
            some = difference.through(steps[at:end], facts)
            if some is None:
                return False
            pending |= some
            at = end
        for mark, facts in zip(marks, found, strict=True):
            difference.settle(mark.state, facts)
        difference.note(pending)
        return True

    def _leave(self) -> None:
        """Note in the last mark what is wrong where the function is left."""
        flow, node = self.flow, self.flow.function.nodes[0]
        mark = self._marks[-1]
        mark.notes = flow.notes.found = dict[Goal, int]()
        flow.notes.report = True
        if node.ends is not None:
            flow.work.leave(node.ends, mark.state)
            flow.lives.leave(node.ends, mark.state)
        flow.notes.report = False

    def _tell(self) -> None:
        """Put together what was noted."""
        self.flow.notes.found = together(mark.notes for mark in self._marks)
