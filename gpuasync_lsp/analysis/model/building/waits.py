"""Waits: the streams and events that each op destroys, and the events that join streams."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.analysis.model.function import Action, AsyncOp, Handle, Kind, Step, Wait
from gpuasync_lsp.analysis.model.symbols import callee_of


class Waits:
    """Computes the waits of one function, numbering new events from `first_event`."""

    def __init__(self, tokens: Tokens, values: Values, first_event: int) -> None:
        self.events = first_event
        """The number of the next event."""
        self.of: dict[Operation, list[Wait]] = {}
        """The waits of each op."""
        self.joins: dict[Operation, list[Step]] = {}
        """For each op that joins streams, its waits on the events recorded on these streams."""
        self.records: dict[Operation, list[Step]] = {}
        """The events recorded after each op, as steps."""
        self._function = tokens.function
        self._handle = tokens.handle
        self._values = values

    def add(self, info: AsyncOp) -> None:
        """Record the handles that the op `info` destroys, and the events with which it waits on streams.

        The op is a gpu.wait, or a gpu.launch_func with several dependencies.
        """
        for number, dep in enumerate(info.deps):
            handle = self._handle(dep)
            if info.name == "gpu.launch_func":
                if number == 0:
                    continue
            elif info.token is None:
                self.destroy(info.op, number, dep, handle, blocking=True)
                continue
            if handle.is_stream:
                self._join(info, number, dep, handle)
            else:
                self.destroy(info.op, number, dep, handle, blocking=False)

    def by_callee(self, call: Operation) -> None:
        """Record the events that a call destroys because the callee waits on them.

        The callee treats a stream passed to it as an event (GA203).
        """
        destroying, callee = self._function.context.destroying, callee_of(call) or ""
        for number, value in enumerate(call.operands):
            handle = self._function.tokens.get(value)
            if handle is not None and handle.kind is Kind.OPAQUE and (callee, number) in destroying:
                self.destroy(call, number, value, handle, blocking=True)

    def destroy(
        self, op: Operation, operand: int, value: SSAValue, handle: Handle, *, blocking: bool
    ) -> Wait:
        """Record that `op` waits on its operand `operand`, and destroys the stream or event of `handle`."""
        wait = Wait(op, operand, value, handle, blocking)
        self._function.note(wait)
        self.of.setdefault(op, []).append(wait)
        return wait

    def _join(self, info: AsyncOp, number: int, dep: SSAValue, handle: Handle) -> None:
        handle.joins.append(info)
        event = self.events
        self.events += 1
        # The event is recorded after the op that defines the operand before the pass's own patterns fold it.
        greedy = self._function.profile.greedy_prepass
        defined = (self._values.resolve(dep) if greedy else dep).owner
        assert isinstance(defined, Operation)
        record = Step(Action.RECORD, info.op, handle, event=event, source=info, operand=number)
        self.records.setdefault(defined, []).append(record)
        join = Step(Action.AWAIT_EVENT, info.op, info.handle, handle, info, event=event, operand=number)
        self.joins.setdefault(info.op, []).append(join)
