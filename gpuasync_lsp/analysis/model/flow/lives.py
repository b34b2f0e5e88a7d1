"""Lifetimes of streams and events: created, recorded, waited on, destroyed, leaked."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.flow.names import Names
from gpuasync_lsp.analysis.model.flow.notes import Notes
from gpuasync_lsp.analysis.model.function import (
    Action,
    AsyncFunction,
    Fault,
    Handle,
    Kind,
    Step,
    Wait,
    bits_of,
)
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.state import LIVE, State
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Origin

TAKEN = 1 << 1
"""Mask bit: a wait on an opaque handle has treated the stream as an event."""
USED_UP = 1 << 2
"""Mask bit: a join has destroyed the event that was recorded for it."""
_FIRST_WAIT = 3


def destroyed_by(wait: Wait) -> int:
    """Return the mask bit that means destroyed by `wait`."""
    return 1 << (wait.site + _FIRST_WAIT)


def sites_in(mask: int) -> Iterator[int]:
    """Yield the numbers of the waits that may have destroyed the object, according to `mask`."""
    return bits_of(mask >> _FIRST_WAIT)


class Lives:
    """Updates `State.life`, the masks of possible states of handles and events, and reports faults."""

    def __init__(self, function: AsyncFunction, names: Names, notes: Notes) -> None:
        self.function = function
        self.names = names
        self.notes = notes
        self.gone = ~(LIVE | TAKEN)
        """Mask of the states in which the object is destroyed."""
        self.count = len(function.handles)
        self.of_streams = LIVE
        """Mask of the states in which the object is alive, or destroyed by a wait that treated it as a
        stream."""
        for wait in function.waits:
            if wait.handle.kind is Kind.STREAM or wait.op.name == "async.yield":
                self.of_streams |= destroyed_by(wait)
        awaits = Action.AWAIT_EVENT
        self.joins = [step for node in function.nodes for step in node.steps if step.action is awaits]

    def define(self, handle: Handle, step: Step, state: State) -> None:
        """Assign `handle`, an opaque handle, from other handles or from outside the function."""
        sources = [source for source in handle.sources if isinstance(source, Handle)]
        known = step.other is not None
        if step.other is not None:
            sources = [step.other]
        life = mask = 0
        done = state.seen
        for source in sources:
            life |= state.life[source.index]
            mask |= self.names.things(source, state)
            done &= state.ordered(source.index)
        if handle.sources == (Origin.STREAM,) and callee_of(step.op) is not None:
            # The callee has created the stream, and may have joined the streams passed to it.
            done = state.host
            for token in step.op.operands:
                given = self.function.tokens.get(token)
                done |= state.ordered(given.index) if given is not None else 0
        if not sources or (len(sources) < len(handle.sources) and not known):
            self.names.renew(handle.index, state)
            life |= LIVE
            mask |= 1 << handle.index
        state.life[handle.index] = life or LIVE
        state.holds[handle.index] = mask
        state.set_ordered(handle.index, done)

    def create(self, handle: Handle, op: Operation, state: State) -> None:
        """Create a stream; in a loop, it replaces the one of the previous iteration."""
        index = handle.index
        is_reported = self.notes.report and handle.kind is not Kind.OBJECT
        if is_reported and state.life[index] & LIVE and not self.names.is_held(index, state):
            self._leak(handle, op, state.life[index])
        self.names.renew(index, state)
        state.life[index] = LIVE
        state.set_ordered(index, 0)

    def record(self, handle: Handle, step: Step, state: State) -> None:
        """Record an event on a stream, for a join of this function."""
        event = self.count + step.event
        state.set_ordered(event, state.ordered(handle.index))
        state.life[event] = LIVE
        life = state.life[handle.index]
        if self.notes.report and life & self.gone:
            self.notes.fault(Goal(Fault.USED_AFTER_DESTROY, step.op, step.operand, handle), life)

    def await_event(self, step: Step, state: State) -> None:
        """Make a stream wait on an event recorded for a join of this function, and destroy the event."""
        event = self.count + step.event
        if step.handle is not None:
            both = state.ordered(step.handle.index) | state.ordered(event)
            state.set_ordered(step.handle.index, both)
        if self.notes.report and state.life[event] & self.gone and step.other is not None:
            goal = Goal(Fault.EVENT_DESTROYED_TWICE, step.op, step.operand, step.other, event=step.event)
            self.notes.fault(goal, state.life[event])
        state.life[event] = USED_UP

    def destroy(self, step: Step, handle: Handle, state: State) -> None:
        """Destroy the object that `handle` refers to, at a wait."""
        wait = step.wait
        assert wait is not None
        mask = state.life[handle.index]
        if step.action is Action.YIELD:
            # A wait that treated the stream as an event has not destroyed it.
            mask &= self.of_streams
        if self.notes.report and mask & self.gone:
            self.notes.fault(Goal(Fault.DESTROYED_TWICE, step.op, wait.operand, handle), mask)
        gone = destroyed_by(wait)
        state.life[handle.index] = gone
        things = self.names.things(handle, state)
        sure = self.names.is_one(things)
        for thing in bits_of(things & ((1 << self.count) - 1)):
            for name in self.names.of(thing):
                theirs = state.holds.get(name, 0)
                if theirs >> thing & 1 and name != handle.index:
                    state.life[name] = gone if sure and theirs == things else state.life[name] | gone
            if thing != handle.index:
                really = self.function.handles[thing].kind is Kind.OPAQUE or step.action is Action.YIELD
                left = 0 if sure else state.life[thing]
                # mgpuEventDestroy on a stream is reported separately; its other faults are not reported.
                state.life[thing] = left | (gone if really else TAKEN | state.life[thing] & self.gone)

    def use(self, step: Step, state: State) -> None:
        """Report the op of `step` if it depends on a stream that may be destroyed."""
        if not self.notes.report or step.handle is None:
            return
        if step.source is None:
            # A call whose callee enqueues work on the stream of a token operand.
            if step.operand is not None:
                self._use(step, step.operand, step.handle, state)
            return
        deps = step.source.deps
        # A launch with several dependencies runs on the stream of the first. It waits on the others through
        # events, which are recorded where the tokens are defined.
        for number, dep in enumerate(deps[:1] if step.source.lowers else deps):
            dependency = self.function.tokens.get(dep)
            if dependency is not None:
                self._use(step, number, dependency, state)

    def _use(self, step: Step, operand: int, dependency: Handle, state: State) -> None:
        life = state.life[dependency.index]
        if life & self.gone:
            self.notes.fault(Goal(Fault.USED_AFTER_DESTROY, step.op, operand, dependency), life)

    def leave(self, op: Operation, state: State) -> None:
        """Report the streams and events that are still alive where `op` leaves the function."""
        for handle in self.function.handles:
            if handle.kind is Kind.STREAM:
                self._leak(handle, op, state.life[handle.index])
        for join in self.joins:
            if state.life[self.count + join.event] & LIVE and join.other is not None:
                goal = Goal(Fault.EVENT_LEAKED, join.op, join.operand, join.other, event=join.event)
                self.notes.fault(goal)

    def _leak(self, handle: Handle, op: Operation, mask: int) -> None:
        if self.notes.goal is None or mask & LIVE:
            self.notes.fault(Goal(Fault.LEAKED, op, None, handle), mask)
