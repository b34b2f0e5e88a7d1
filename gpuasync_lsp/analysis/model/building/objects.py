"""Streams and events that host code creates through runtime calls or receives as pointers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.function import Action, AsyncOp, Handle, Kind, Step
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.memory.pointers import is_pointer
from gpuasync_lsp.analysis.model.runtime import Does, Runtime, runtime_call, stream_object
from gpuasync_lsp.analysis.model.symbols import callee_of


class Objects:
    """Creates handles for pointers to streams and events, which are runtime calls' results or function
    arguments."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._function = tokens.function

    def launched(self, info: AsyncOp) -> None:
        """Set the stream of a launch that has an explicit stream."""
        value = stream_object(info.op)
        if value is not None and info.lowers:
            info.handle = self._handle(value)

    def note(self, ops: Iterable[Operation], memory: Memory) -> None:
        """Create handles for the streams on which callees enqueue work, and for events recorded on known
        streams."""
        calls = [op for op in ops if callee_of(op) is not None]
        for op in calls:
            for value in memory.enqueued(op):
                if is_pointer(value):
                    self._handle(value)
        if self._function.objects:
            for op in calls:
                call = self.call(op)
                if call is not None and call.does is Does.RECORD and call.other in self._function.objects:
                    assert call.first is not None
                    self._handle(call.first)

    def call(self, op: Operation) -> Runtime | None:
        """Return the effect of a runtime call; None for any other op, or if the file defines the callee."""
        found = runtime_call(op)
        if found is None:
            return None
        info = self._function.context.functions.get(callee_of(op) or "")
        return found if info is None or info.declared_only else None

    def steps(self, op: Operation) -> Iterator[Step]:
        """Yield the steps of a runtime call on streams and events that have handles."""
        call = self.call(op)
        if call is None or call.first is None:
            return
        objects = self._function.objects
        first = objects.get(call.first)
        other = objects.get(call.other) if call.other is not None else None
        if first is None:
            return
        if call.does is Does.CREATE:
            yield Step(Action.CREATE, op, first)
        elif call.does is Does.WAIT:
            yield Step(Action.WAIT, op, first)
        elif other is not None:
            behind = (other,) if call.does is Does.RECORD else (first, other)
            yield Step(Action.FOLLOW, op, first, behind=behind)

    def _handle(self, value: SSAValue) -> Handle | None:
        known = self._function.objects.get(value)
        if known is not None or not self._is_known(value):
            return known
        owner = value.owner
        made = self._tokens.new(Kind.OBJECT, value, owner if isinstance(owner, Operation) else None)
        self._function.objects[value] = made
        return made

    def _is_known(self, value: SSAValue) -> bool:
        """Return whether `value` is a stream or event that no other value in the function aliases."""
        owner = value.owner
        if isinstance(owner, Operation):
            call = self.call(owner)
            return call is not None and call.does is Does.CREATE
        return owner is self._function.op.regions[0].blocks[0]
