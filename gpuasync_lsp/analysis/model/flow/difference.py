"""What two runs of a function differ in: accesses that came and went.

Facts about one access do not depend on those about others. So the facts of two runs are compared but for
these accesses, and what follows is gone through for these alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.flow.transfer import Flow
from gpuasync_lsp.analysis.model.function import WORK, Access, Action, AsyncFunction, Step
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.coverage import MOST_WRITES
from gpuasync_lsp.analysis.model.memory.touches import WRITES
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.analysis.model.terms import Mode

_TOUCH = WORK | {Action.HOST}
"""What touches memory, and neither makes nor ends a stream or event."""


class Counted:
    """The handles, events and buffers that facts are about."""

    def __init__(self, function: AsyncFunction) -> None:
        self._function = function
        self._handles, self._events = function.handles.copy(), function.events
        self._buffers = function.buffers.copy()

    @property
    def has_other_buffers(self) -> bool:
        """Whether the function has other buffers now."""
        return self._function.buffers != self._buffers

    def anew(self, flow: Flow, states: Iterable[State], *, waited: bool) -> list[int] | None:
        """Let the facts of `states` be about the handles and events that the function has now; return the
        numbers of those that are new, None where all are as before and no wait came or went (`waited`).

        Events that are gone keep their numbers."""
        function = self._function
        old, new = self._handles, function.handles
        known, now = {*old}, {*new}
        gone = [number for number, handle in enumerate(old) if handle not in now]
        made = [number for number, handle in enumerate(new) if handle not in known]
        events = function.events - self._events
        if not gone and not made and not events and not waited:
            return None
        for state in states:
            for facts in (state.life, state.done):
                for number in reversed(gone):
                    del facts[number]
                for number in made:
                    facts.insert(number, 0)
                facts += [0] * events
        self._handles, self._events = new.copy(), function.events
        flow.recount()
        return [*made, *range(len(new) + function.events - events, len(new) + function.events)]


def come_and_gone(old: Sequence[Step], new: Sequence[Step]) -> tuple[list[Access], list[Access]]:
    """Return the accesses of the steps `old` that are not among those of `new`, and the other way round."""
    gone = dict.fromkeys(access for step in old for access in step.accesses)
    made = dict.fromkeys(access for step in new for access in step.accesses)
    return [access for access in gone if access not in made], [a for a in made if a not in gone]


def take_over(others: Iterable[int] | None, of: State, into: State) -> None:
    """Let a state of the run before say of these handles and events what one of the run now does."""
    for index in others or ():
        into.life[index], into.done[index] = of.life[index], of.done[index]


def together(noted: Iterable[dict[Goal, int]]) -> dict[Goal, int]:
    """Put together what was noted in parts of a function."""
    found: dict[Goal, int] = {}
    for notes in noted:
        both = found | notes  # This takes the hashes that the goals have already.
        if len(both) < len(found) + len(notes):
            for goal in notes:
                both[goal] |= found.get(goal, 0)
        found = both
    return found


def waits(steps: Iterable[Step]) -> bool:
    """Tell whether one of `steps` does something else than to touch memory."""
    return any(step.action not in _TOUCH for step in steps)


def renumber(flow: Flow, gone: Iterable[Access], made: Iterable[Access]) -> None:
    """Let the accesses that are gone be none any more, and those that were made have numbers."""
    if flow.function.accesses_in_order:
        flow.function.accesses_in_order = False
        flow.function.first_of_edits = len(flow.function.accesses)
    for access in gone:
        flow.memory.forget(access)
    for access in made:
        flow.memory.number(access)


def is_simple(access: Access) -> bool:
    """Tell whether facts about `access` are about nothing else, so that it may come and go."""
    return access.mode is not Mode.FREE and not access.buffer.is_name and not access.task


_BY_ACCESS = ("host", "seen", "fresh", "stale")
"""The facts that are masks of accesses, but for those of single handles."""


class _Pair(NamedTuple):
    """What becomes of a mask in two runs."""

    old: int
    new: int
    """As long as both are there, they are known by their identities."""
    rest: int
    """In what they differ besides the accesses that do."""
    alone: int
    """What they say of these."""


class Difference:
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
        self._pairs: dict[tuple[int, int], _Pair] = {}
        self._settled: dict[int, tuple[int, int, int]] = {}
        """By the identity of a mask of the run before: that, what it gets, and the mask of the run now. Most
        states share theirs, and shall go on to do so: each has a bit for every access."""
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
        others = [pair for pair in zip(old.done, new.done, strict=True) if pair[0] != pair[1]]
        if done:
            known = old.host | new.host
            if any((a ^ b) & ~known for a, b in others):
                return False
        else:
            known = old.host & new.host
            if any(rest & ~known for rest in [self._pair(a, b).rest for a, b in others] if rest):
                return False
        if not (old.written | new.written) & sites:
            return True
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
            and (write.region, write.parts, write.threads) == (access.region, access.parts, access.threads)
            and not write.symbols
            for site, write in enumerate(memory.writes)
            if known >> site & 1
        )

    def is_over(self, old: State, new: State) -> bool:
        """Tell whether none of the accesses that differ may still run, in either run."""
        return not ((old.seen & ~old.host) | (new.seen & ~new.host)) & self._either

    def alone(self, old: State, new: State) -> State:
        """Return what is known of the accesses that differ alone, where the runs meet but for them."""
        made, either = self._made, self._either
        facts = new.copy()
        facts.done = [
            self._pair(o, n).alone if o or n else 0 for o, n in zip(old.done, new.done, strict=True)
        ]
        for name in _BY_ACCESS:
            setattr(facts, name, getattr(old, name) & either & ~made | getattr(new, name) & made)
        return facts

    def _pair(self, old: int, new: int) -> _Pair:
        """Return how a mask of the run before and one of the run now differ; most states share theirs."""
        known = self._pairs.get((id(old), id(new)))
        if known is None:
            made, either = self._made, self._either
            known = _Pair(old, new, (old ^ new) & ~either, old & either & ~made | new & made)
            self._pairs[id(old), id(new)] = known
        return known

    def through(self, steps: Iterable[Step], facts: State) -> dict[Operation, int] | None:
        """Go on through `steps` from `facts` about nothing but the accesses that differ; return which of them
        may still run where the host does something.

        None where one of them may still run while another is done to the same memory: that is told, or
        was."""
        flow, made = self._flow, self._made
        pending: dict[Operation, int] = {}
        for step in steps:
            if step.accesses and not self._is_apart(step, facts):
                return None
            if step.action is Action.ENQUEUE:
                continue
            if step.action is Action.HOST:
                pending[step.op] = facts.seen & ~facts.host & made
            flow.step(step, facts)
        return pending

    def note(self, pending: dict[Operation, int]) -> None:
        """Let the function know which of the accesses may still run where the host does something."""
        known = self._flow.function.pending
        for op, mask in pending.items():
            known[op] = known[op] & ~self._either | mask

    def settle(self, state: State, facts: State) -> None:
        """Let a state of the run before be one of the run now, of which `facts` are about what differs."""
        made, either = self._made, self._either
        done, settled = state.done, self._settled
        for index in compress(range(len(done)), facts.done):
            # What is gone stays in there: it is not among what is seen any more.
            before, fact = done[index], facts.done[index]
            known = settled.get(id(before))
            if known is None or known[1] is not fact:
                known = settled[id(before)] = before, fact, before | fact & made
            done[index] = known[2]
        for name in _BY_ACCESS:
            setattr(state, name, getattr(state, name) & ~either | getattr(facts, name) & made)
        for name in ("written", "surely"):
            setattr(state, name, getattr(state, name) | self._sites)

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
