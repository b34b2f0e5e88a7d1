"""Memory accesses on streams and on the host: their order, races, uninitialized reads and leaks."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.flow.names import Names
from gpuasync_lsp.analysis.model.flow.notes import Notes
from gpuasync_lsp.analysis.model.function import Access, Action, AsyncFunction, Fault, Step, bits_of
from gpuasync_lsp.analysis.model.goal import Goal
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.memory.touches import Touches
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text.effort import spend

_RACES = 16
"""The maximum number of races reported for one access; more are reported once these are repaired."""


class Work:
    """Orders device and host accesses, and compares each access with those that may run concurrently."""

    def __init__(self, function: AsyncFunction, names: Names, memory: Touches, notes: Notes) -> None:
        self.function = function
        self.names = names
        self.memory = memory
        self.notes = notes

    def all_behind(self, step: Step, state: State) -> int:
        """Return the accesses that are complete once the dependencies of `step` and of its op are
        complete."""
        mask = state.host
        for dep in step.source.deps if step.source is not None else ():
            handle = self.function.tokens.get(dep)
            if handle is not None:
                mask |= state.ordered(handle.index)
        for stream in step.behind:
            mask |= state.ordered(stream.index)
        return mask

    def done_before(self, step: Step, state: State) -> int:
        """Return the accesses that happen before those of `step`."""
        handle = step.handle
        if handle is None and step.source is not None and step.source.rejections:
            done = self.all_behind(step, state)
        else:
            done = state.host if handle is None else state.ordered(handle.index)
        for stream in step.behind:
            done |= state.ordered(stream.index)
        return done

    def enqueue(self, step: Step, state: State) -> None:
        """Run the accesses of `step` on its stream; for `COMPLETE`, the host waits for them."""
        handle = step.handle
        done = self.done_before(step, state)
        older, last = self._unfinished(step, state)
        if self.notes.report and step.source is not None and step.source.is_dependent:
            for access in step.source.early:
                self.meet(access, older, self.memory.places(access, state), state)
            for access in step.source.late:
                self.meet(access, older & ~last, self.memory.places(access, state), state)
        bits = 0
        # The accesses of an op happen concurrently, those of a callee one after the other.
        parts = [step.accesses] if step.source is not None else [(access,) for access in step.accesses]
        for part in parts:
            for access in part:
                if self.notes.report:
                    self.check(access, state.seen & ~done, state)
                if access.bit >= 0:  # A free is not work on the stream: the host frees the memory.
                    bits |= 1 << access.bit
            for access in part:
                self.memory.touch(access, state)
        if bits:
            bits = state.start(bits)
            for index in self.names.same(handle, state) if handle is not None else ():
                state.set_ordered(index, state.ordered(index) | bits)
        if handle is not None:
            self._launch(step, older, bits, state)
        if step.action is Action.COMPLETE:
            state.host |= done | bits

    def _unfinished(self, step: Step, state: State) -> tuple[int, int]:
        """Return the accesses that may be in progress when a dependent launch starts at `step`, as two masks.

        The first mask contains those of all previous kernels, the second those of the last one."""
        if step.handle is None:
            return 0, 0
        older, last = state.unfinished.get(step.handle.index, (0, 0))
        return older & state.seen & ~state.host, last

    def _launch(self, step: Step, older: int, bits: int, state: State) -> None:
        """Record the accesses that may be in progress when the stream's next dependent launch starts.

        `older` are those in progress at `step`, and `bits` those of `step`. Only kernels overlap."""
        assert step.handle is not None
        info, unfinished = step.source, (0, 0)
        if info is not None and info.name == "gpu.launch_func":
            goes_on = info.is_dependent and not info.waits_for_last
            unfinished = (older | bits if goes_on else bits), bits
        elif info is None and (callee := callee_of(step.op)) is not None:
            function = self.function.context.functions.get(callee)
            if function is not None and function.is_one_launch:
                unfinished = bits, bits
        for index in self.names.same(step.handle, state):
            state.unfinished[index] = unfinished

    def on_host(self, step: Step, state: State) -> None:
        """Run the accesses of `step` on the host, or in a task."""
        done = self.done_before(step, state)
        if self.notes.report and self.notes.goal is None:
            self.function.pending[step.op] = state.seen & ~state.host
        bits = 0
        for access in step.accesses:
            if self.notes.report:
                self.check(access, state.seen & ~done, state)
            self.memory.touch(access, state)
            if access.task:
                bits |= 1 << access.bit
        if bits:
            state.host |= state.start(bits)

    def synchronize(self, op: Operation, state: State) -> None:
        """Make the host wait for all device work, except work of other tasks, which may be enqueued later."""
        for bit in bits_of(state.seen & ~state.host):
            access = self.function.accesses[bit]
            if not access.task and _enclosing_task(access.op) in (None, _enclosing_task(op)):
                state.host |= 1 << bit

    def allocate(self, buffer: Buffer, op: Operation, state: State) -> None:
        """Allocate a buffer; in a loop, it may replace the one of the previous iteration."""
        if self.notes.report:
            for lost in self.memory.lost_again(buffer, state):
                self.notes.fault(Goal(Fault.LEAKED, op, buffer=lost))
        self.memory.allocate(buffer, state)

    def check(self, access: Access, pending: int, state: State) -> None:
        """Report races of `access` with `pending` accesses, uses after a free, and uninitialized reads."""
        memory, notes = self.memory, self.notes
        places = memory.places(access, state)
        self.meet(access, pending, places, state)
        for place in places:
            freed = state.freed[place.buffer.index]
            for site in bits_of(freed) if freed else ():
                notes.race(memory.frees[site], access)
            if memory.is_unwritten(access, place, state):
                notes.fault(Goal(None, access.op, buffer=place.buffer, second=access))

    def meet(self, access: Access, pending: int, places: Iterable[Place], state: State) -> None:
        """Report the races of `access`, which refers to `places`, with the accesses in `pending`."""
        memory, notes, found = self.memory, self.notes, 0
        met = pending and pending & memory.conflicts(access)
        for earlier in self.function.each_of(met) if met else ():
            spend()
            if _is_atomic_together(earlier, access) or _is_of_callee(earlier, access):
                continue
            if access.mode is Mode.UNREGISTER and earlier.task:
                continue  # The host can access the memory whether or not it is registered.
            if not memory.meets(earlier, access, places, state):
                continue
            found += 1
            if found > _RACES and notes.goal is None:
                break
            notes.race(earlier, access)

    def leave(self, op: Operation, state: State) -> None:
        """Report the buffers that are still allocated where `op` leaves the function."""
        for buffer in self.memory.lost(op, state):
            self.notes.fault(Goal(Fault.LEAKED, op, buffer=buffer))


def _enclosing_task(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and parent.name != "async.execute":
        parent = parent.parent_op()
    return parent


def _is_of_callee(first: Access, second: Access) -> bool:
    """Return whether one call makes both accesses, at different points in its callee.

    Such a race is reported when the callee is checked."""
    return (
        first.op is second.op
        and first.value is second.value
        and callee_of(first.op) is not None
        and (first.host or second.host)
        and first.turn != second.turn
    )


def _is_atomic_together(first: Access, second: Access) -> bool:
    """Return whether both accesses are atomic, and both are made on the host or both on the device."""
    by_host = [access.host and callee_of(access.op) is None for access in (first, second)]
    return first.mode is second.mode is Mode.ATOMIC and by_host[0] == by_host[1]
