"""Transfer functions: the effect of each step on the facts, for all paths or for a single one.

The cost of a step does not depend on the number of streams, buffers and accesses, except through the length
of masks.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuasync_lsp.analysis.model.flow.lives import Lives
from gpuasync_lsp.analysis.model.flow.names import Names
from gpuasync_lsp.analysis.model.flow.notes import Notes
from gpuasync_lsp.analysis.model.flow.work import Work
from gpuasync_lsp.analysis.model.function import Action, AsyncFunction, Edge, Node, Step
from gpuasync_lsp.analysis.model.memory.touches import Touches
from gpuasync_lsp.analysis.model.state import LIVE, State
from gpuasync_lsp.text.effort import spend


class Flow:
    """The transfer functions of one function's steps, nodes and edges."""

    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.notes = Notes()
        self.names = Names(function)
        self.memory = Touches(function)
        self.lives = Lives(function, self.names, self.notes)
        self.work = Work(function, self.names, self.memory, self.notes)

    def start(self) -> State:
        """Return the facts at the entry of the function."""
        return State(len(self.function.handles), self.function.events, len(self.function.buffers))

    def through(self, node: Node, state: State) -> None:
        """Apply the steps of `node` to `state`; report faults if `notes.report` is set."""
        self.by(node.steps, state)
        self.leave(node, state)

    def by(self, steps: Sequence[Step], state: State) -> None:
        """Apply `steps` to `state`."""
        spend(1 + len(steps))
        for step in steps:
            self.step(step, state)

    def leave(self, node: Node, state: State) -> None:
        """Report leaks if `node` leaves the function and `notes.report` is set."""
        if node.ends is not None and self.notes.report:
            self.work.leave(node.ends, state)
            self.lives.leave(node.ends, state)

    def along(self, edge: Edge, state: State) -> State:
        """Return the facts after `edge`: handles assigned on it get the facts of their new values."""
        if not edge.passes and not edge.moves and not edge.leaves and edge.skips is None:
            return state
        given = state.copy()
        self.memory.move(edge, state, given)
        for target, source in edge.passes:
            given.life[target.index] = state.life[source.index]
            given.done[target.index] = state.ordered(source.index)
            given.holds[target.index] = self.names.things(source, state)
            given.unfinished[target.index] = state.unfinished.get(source.index, (0, 0))
        return given

    def step(self, step: Step, state: State) -> None:
        """Apply one step to `state`."""
        handle = step.handle
        match step.action:
            case Action.ENQUEUE | Action.COMPLETE:  # Most steps.
                self.lives.use(step, state)
                self.work.enqueue(step, state)
            case Action.CREATE:
                assert handle is not None
                state.unfinished.pop(handle.index, None)
                self.lives.create(handle, step.op, state)
            case Action.RECORD:
                assert handle is not None
                self.lives.record(handle, step, state)
            case Action.AWAIT_EVENT:
                if handle is not None:
                    state.unfinished.pop(handle.index, None)
                self.lives.await_event(step, state)
            case Action.DEFINE:
                assert handle is not None
                self.lives.define(handle, step, state)
            case Action.FOLLOW:
                assert handle is not None
                state.life[handle.index] = LIVE
                state.set_ordered(handle.index, self.work.all_behind(step, state))
            case Action.CONSUME:
                assert handle is not None
                if step.other is not None:
                    state.unfinished.pop(step.other.index, None)
                    both = state.ordered(step.other.index) | state.ordered(handle.index)
                    state.set_ordered(step.other.index, both)
                self.lives.destroy(step, handle, state)
            case Action.BLOCK:
                assert handle is not None
                self.lives.destroy(step, handle, state)
                state.host |= state.ordered(handle.index)
            case Action.HOST:
                self.lives.use(step, state)
                self.work.on_host(step, state)
            case Action.YIELD:
                assert handle is not None
                if step.wait is not None:
                    self.lives.destroy(step, handle, state)
            case Action.ALLOCATE:
                assert step.buffer is not None
                self.work.allocate(step.buffer, step.op, state)
            case Action.BEGIN_TASK:
                tasks = len(self.function.handles) + step.event
                state.set_ordered(tasks, state.host)
                for task in step.after:
                    state.host |= state.ordered(len(self.function.handles) + task + 1)
            case Action.END_TASK:
                tasks = len(self.function.handles) + step.event
                state.set_ordered(tasks + 1, state.host)
                state.host = 0
                state.host = state.ordered(tasks)
            case Action.AWAIT_TASK:
                tasks = len(self.function.handles) + step.event
                state.host |= state.ordered(tasks + 1)
            case Action.WAIT:
                assert handle is not None
                state.host |= state.ordered(handle.index)
            case Action.SYNCHRONIZE:
                self.work.synchronize(step.op, state)
            case Action.RENEW:
                assert step.value is not None
                state.renew(self.memory.depending.get(step.value, 0))
