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

from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import WORK, Access, Action, AsyncFunction, Handle, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.coverage import MOST_WRITES
from gpuasync_lsp.analysis.model.memory.touches import WRITES
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.text.effort import spend

_SHORTEST = 64
"""Steps between two kept states, at least."""
_MARKS = 48
"""How many states are kept, at most twice of it after edits."""
_AGAIN = 64
"""Edits after which a function is run anew: numbers of accesses that are gone are not used again."""


_TOUCH = WORK | {Action.HOST}
"""What touches memory, and neither makes nor ends a stream or event."""

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
        self._handles: list[Handle] = []
        self._events = 0
        self._buffers: list[Buffer] = []
        """The handles, the number of events, and the buffers that the facts are about."""
        self._edits = 0
        self._gone: list[Access] = []
        """Accesses that were gone in earlier edits: what was noted of them may still be in the facts."""

    def run(self) -> None:
        """Note what is wrong, and keep the facts at intervals."""
        (node,) = self.flow.function.nodes
        self._steps = node.steps.copy()
        self._handles, self._events = self.flow.function.handles.copy(), self.flow.function.events
        self._buffers = self.flow.function.buffers.copy()
        self._marks = []
        spend(1 + len(node.steps))
        self._go_on(self.flow.start(), 0, [])
        self._tell()

    def again(self) -> bool:
        """Do the same after an edit of what copies, fills and launches do, from there; False where it cannot
        be done, and the function has to be run anew."""
        function, flow = self.flow.function, self.flow
        steps, old = function.nodes[0].steps, self._steps
        self._edits += 1
        if self._edits > _AGAIN or function.buffers != self._buffers:
            return False
        spend(1 + len(steps) // 8)
        most = min(len(old), len(steps))
        first = next((n for n in range(most) if old[n] is not steps[n]), most)
        last = next((n for n in range(most - first) if old[-1 - n] is not steps[-1 - n]), most - first)
        gone = [access for step in old[first : len(old) - last] for access in step.accesses]
        made = [access for step in steps[first : len(steps) - last] for access in step.accesses]
        both = {*gone} & {*made}
        gone, made = [a for a in gone if a not in both], [a for a in made if a not in both]
        if not all(map(_is_simple, (*gone, *made))):
            return False
        function.accesses_in_order = False
        for step in old[first : len(old) - last]:
            function.pending.pop(step.op, None)
        for access in gone:
            flow.memory.forget(access)
        for access in made:
            flow.memory.number(access)
        kept = [mark for mark in self._marks if mark.index <= first]
        begin = kept.pop()
        delta = len(steps) - len(old)
        behind = [
            _Mark(mark.index + delta, mark.state, mark.notes)
            for mark in self._marks
            if mark.index >= len(old) - last
        ]
        edited = (*old[first : len(old) - last], *steps[first : len(steps) - last])
        others = self._count_anew(waited=any(step.action not in _TOUCH for step in edited))
        self._steps, self._marks = steps.copy(), kept
        self._gone += gone
        self._go_on(begin.state, begin.index, behind, _Difference(flow, gone, made, self._gone), others)
        self._tell()
        return True

    def _count_anew(self, *, waited: bool) -> list[int] | None:
        """Let the facts be about the handles and events that the function has now; return the numbers of
        those that are new, None where all are as before and no wait came or went (`waited`).

        Events that are gone keep their numbers."""
        function = self.flow.function
        old, new = self._handles, function.handles
        known, now = {*old}, {*new}
        gone = [number for number, handle in enumerate(old) if handle not in now]
        made = [number for number, handle in enumerate(new) if handle not in known]
        events = function.events - self._events
        if not gone and not made and not events and not waited:
            return None
        for mark in self._marks:
            for facts in (mark.state.life, mark.state.done):
                for number in reversed(gone):
                    del facts[number]
                for number in made:
                    facts.insert(number, 0)
                facts += [0] * events
        self._handles, self._events = new.copy(), function.events
        self.flow.recount()
        return [*made, *range(len(new) + function.events - events, len(new) + function.events)]

    def _go_on(
        self,
        state: State,
        at: int,
        before: list[_Mark],
        difference: _Difference | None = None,
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
                for mark in before[number:] if others else ():
                    for facts, theirs in ((state.life, mark.state.life), (state.done, mark.state.done)):
                        for index in others or ():
                            theirs[index] = facts[index]
                met = difference.meets(before[number].state, state)
                if met:
                    for mark in before[number:]:
                        difference.add_to(mark.state)
                elif not followed and difference.meets(before[number].state, state, done=False):
                    followed = True
                    notes.report = False
                    met = difference.follow(before[number:], state)
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
        found = dict[Goal, int]()
        for mark in self._marks:
            both = found | mark.notes  # This takes the hashes that the goals have already.
            if len(both) < len(found) + len(mark.notes):
                for goal in mark.notes:
                    both[goal] |= found.get(goal, 0)
            found = both
        self.flow.notes.found = found


def _is_simple(access: Access) -> bool:
    return access.mode is not Mode.FREE and not access.buffer.is_name and not access.task


_BY_ACCESS = ("host", "seen", "fresh", "stale")
"""The facts that are masks of accesses, but for those of single handles."""


class _Difference:
    """What two runs differ in: accesses that are gone, and others that were made."""

    def __init__(self, flow: Flow, gone: list[Access], made: list[Access], all_gone: list[Access]) -> None:
        self._flow, self._memory = flow, flow.memory
        self._touching: dict[Buffer, int] = {}
        self._writing: dict[Buffer, int] = {}
        for access in (*gone, *made):
            for buffer in access.buffer.all if access.bit >= 0 else ():
                self._touching[buffer] = self._touching.get(buffer, 0) | 1 << access.bit
                if access.mode is not Mode.READ:
                    self._writing[buffer] = self._writing.get(buffer, 0) | 1 << access.bit
        self._writes = [access for access in (*gone, *made) if access.mode in WRITES]
        self._made = self._bits(made)
        self._sites = self._written(made)
        self._either = self._made | self._bits(all_gone)
        self._either_sites = self._sites | self._written(all_gone)

    @staticmethod
    def _bits(accesses: list[Access]) -> int:
        return sum(1 << access.bit for access in accesses if access.bit >= 0)

    def _written(self, accesses: list[Access]) -> int:
        return sum(1 << self._memory.site_of(access) for access in accesses if access.mode in WRITES)

    def meets(self, old: State, new: State, *, done: bool = True) -> bool:
        """Tell whether what follows goes on from `new` as it went on from `old`; unless these are all `done`,
        but for what has to do with the accesses that differ."""
        either, sites = self._either, self._either_sites
        if done and (self._made & ~new.host or (self._either & old.seen) & ~old.host):
            return False
        for name in ("life", "freed", "holds", "bound", "where", "owned", "many"):
            if getattr(old, name) != getattr(new, name):
                return False
        if any((getattr(old, n) ^ getattr(new, n)) & ~either for n in ("host", "seen", "fresh", "stale")):
            return False
        if any((getattr(old, n) ^ getattr(new, n)) & ~sites for n in ("written", "surely")):
            return False
        known = old.host | new.host if done else old.host & new.host | either
        if any((a ^ b) & ~known for a, b in zip(old.done, new.done, strict=True)):
            return False
        return all(self._is_written_besides(access, old, new) for access in self._writes)

    def _is_written_besides(self, access: Access, old: State, new: State) -> bool:
        """Tell whether what `access` writes is surely written by another, too, if anybody asks."""
        if not access.buffer.device:
            return True
        memory = self._memory
        known = memory.writers.get(access.buffer, 0) & old.surely & new.surely & ~self._either_sites
        if abs(known.bit_count() - MOST_WRITES) <= self._either_sites.bit_count():
            return False  # One more or less may decide whether bytes are compared.
        return any(
            write.buffer is access.buffer
            and (write.region, write.parts) == (access.region, access.parts)
            and not write.symbols
            for site, write in enumerate(memory.writes)
            if known >> site & 1
        )

    def follow(self, marks: list[_Mark], state: State) -> bool:
        """Go on from `state`, which meets the first of `marks`, with nothing but the accesses that differ;
        make the facts at all of `marks` those of this run.

        False where one of these accesses may still run while another is done to the same memory: that is
        told, or was."""
        function, flow = self._flow.function, self._flow
        made, either = self._made, self._either
        begin = marks[0].state
        facts = state.copy()
        facts.done = [o & either & ~made | n & made for o, n in zip(begin.done, facts.done, strict=True)]
        for name in _BY_ACCESS:
            value = getattr(begin, name) & either & ~made | getattr(state, name) & made
            setattr(facts, name, value)
        found: list[State] = []
        pending: dict[Operation, int] = {}
        steps = function.nodes[0].steps
        ends = [*(mark.index for mark in marks[1:]), len(steps)]
        at = marks[0].index
        for end in ends:
            found.append(facts.copy())
            spend((end - at) // 4)
            for step in steps[at:end]:
                if step.accesses and not self._is_apart(step, facts):
                    return False
                if step.action is Action.ENQUEUE:
                    continue
                if step.action is Action.HOST:
                    pending[step.op] = facts.seen & ~facts.host & made
                flow.step(step, facts)
            at = end
        for mark, facts in zip(marks, found, strict=True):
            done = mark.state.done
            for index, mask in enumerate(facts.done):
                if mask:
                    # What is gone stays in there: it is not among what is seen any more.
                    done[index] |= mask & made
            for name in _BY_ACCESS:
                value = getattr(mark.state, name) & ~either | getattr(facts, name) & made
                setattr(mark.state, name, value)
            for name in ("written", "surely"):
                setattr(mark.state, name, getattr(mark.state, name) | self._sites)
        for op, mask in pending.items():
            function.pending[op] = function.pending[op] & ~either | mask
        return True

    def _is_apart(self, step: Step, facts: State) -> bool:
        """Tell whether none of the accesses that differ may still run beside what `step` does to memory."""
        mask = 0
        for access in step.accesses:
            known = self._writing if access.mode is Mode.READ else self._touching
            for buffer in access.buffer.all:
                mask |= known.get(buffer, 0)
        mask &= facts.seen
        return not mask or not mask & ~self._flow.work.done_before(step, facts)

    def add_to(self, state: State) -> None:
        """Let a state of the run before be one of the run now, from where they meet."""
        for name in ("host", "seen", "fresh"):
            setattr(state, name, getattr(state, name) | self._made)
        for name in ("written", "surely"):
            setattr(state, name, getattr(state, name) | self._sites)
