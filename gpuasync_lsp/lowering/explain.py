"""What lowered code does with streams and events, said at the op that does it.

Read from the runtime calls alone: a stream is what mgpuStreamCreate returns, an event what mgpuEventCreate
does, and anything else that is waited for is taken for an event without being one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xdsl.ir import Block, Operation, OpResult, SSAValue

from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.dialects.llvm import CallOp, LLVMFuncOp

NAMES = {"mgpuStreamCreate": "stream", "mgpuEventCreate": "event"}


def explain(module: Operation, source: Callable[[Operation], str]) -> Mapping[Operation, str]:
    """Return a comment for each op of a lowered module that needs one.

    `source` names the source of an op in words, `%t0 (line 4)` or `line 4`, or returns nothing."""
    comments: dict[Operation, str] = {}
    for op in module.walk():
        if isinstance(op, LLVMFuncOp):
            comments |= _Function(op, source).comments
    return comments


class _Function:
    def __init__(self, function: LLVMFuncOp, source: Callable[[Operation], str]) -> None:
        self.comments: dict[Operation, str] = {}
        self._source = source
        self._names: dict[SSAValue, str] = {}
        self._destroyed: dict[tuple[Block | None, SSAValue], Operation] = {}
        calls = [(op, called(op)) for op in function.walk()]
        numbers = {"stream": 0, "event": 0}
        for op, name in calls:
            kind = NAMES.get(name)
            if kind is not None:
                self._names[op.results[0]] = f"{kind} {numbers[kind]}"
                numbers[kind] += 1
        for op, name in calls:
            say = _SAY.get(name)
            if say is not None:
                self.comments[op] = say(self, op)
            elif isinstance(op, LaunchFuncOp) and op.async_object is not None:
                self.comments[op] = f"on {self.name(op.async_object)}"

    def name(self, value: SSAValue) -> str:
        """Return `stream 0`, `event 1`, or what a value is that is neither."""
        known = self._names.get(value)
        if known is not None:
            return known
        return "the null stream" if is_null(value) else "what no call here created"

    def create_stream(self, op: Operation) -> str:
        source = self._source(op)
        text = self.name(op.results[0]) + (f": from {source}" if source else "")
        destroyed = [user for user in _users(op.results[0]) if called(user) == "mgpuStreamDestroy"]
        return text if destroyed or _leaves(op.results[0]) else f"{text}; leaked: never destroyed"

    def create_event(self, op: Operation) -> str:
        event = op.results[0]
        recorded = [user.operands[1] for user in _users(event) if called(user) == "mgpuEventRecord"]
        waiting = [user.operands[0] for user in _users(event) if called(user) == "mgpuStreamWaitEvent"]
        text = self.name(event)
        if recorded and waiting:
            source = self._source(op)
            into = ", ".join(dict.fromkeys(map(self.name, waiting)))
            text += f": join of {self.name(recorded[0])} into {into}" + (f", for {source}" if source else "")
        return text

    def record(self, op: Operation) -> str:
        return f"{self.name(op.operands[0])} comes when {self.name(op.operands[1])} has done what it has now"

    def wait_event(self, op: Operation) -> str:
        return f"{self.name(op.operands[0])} waits for {self.name(op.operands[1])}"

    def synchronize(self, op: Operation) -> str:
        stream = op.operands[0]
        return f"the host waits for {self.name(stream)}{self._dead(op, stream)}{self._mistaken(op, 'stream')}"

    def synchronize_event(self, op: Operation) -> str:
        return f"the host waits for {self.name(op.operands[0])}{self._mistaken(op, 'event')}"

    def destroy(self, op: Operation) -> str:
        return self._destroy(op, "stream")

    def destroy_event(self, op: Operation) -> str:
        return self._destroy(op, "event")

    def on_stream(self, op: Operation) -> str:
        streams = [value for value in op.operands if self._names.get(value, "").startswith("stream")]
        if streams:
            return f"on {self._names[streams[-1]]}{self._dead(op, streams[-1])}"
        last = [value for value in op.operands if str(value.type) == "!llvm.ptr"][-1]
        return f"on {self.name(last)}"

    def _destroy(self, op: Operation, kind: str) -> str:
        value = op.operands[0]
        before = self._dead(op, value)
        self._destroyed.setdefault((op.parent, value), op)
        return f"{self.name(value)} ends{before}{self._mistaken(op, kind)}"

    def _dead(self, op: Operation, value: SSAValue) -> str:
        first = self._destroyed.get((op.parent, value))
        if first is None:
            return ""
        source = self._source(first)
        return ", which has ended before" + (f" (at {source})" if source else "")

    def _mistaken(self, op: Operation, kind: str) -> str:
        """Say so where a stream is treated as an event or the reverse."""
        name = self._names.get(op.operands[0])
        word = {"stream": "a stream", "event": "an event"}[kind]
        return f", taken for {word}" if name is None or not name.startswith(kind) else ""


_SAY: Mapping[str, Callable[[_Function, Operation], str]] = {
    "mgpuStreamCreate": _Function.create_stream,
    "mgpuEventCreate": _Function.create_event,
    "mgpuEventRecord": _Function.record,
    "mgpuStreamWaitEvent": _Function.wait_event,
    "mgpuStreamSynchronize": _Function.synchronize,
    "mgpuEventSynchronize": _Function.synchronize_event,
    "mgpuStreamDestroy": _Function.destroy,
    "mgpuEventDestroy": _Function.destroy_event,
    "mgpuMemcpy": _Function.on_stream,
    "mgpuMemset32": _Function.on_stream,
    "mgpuMemset16": _Function.on_stream,
    "mgpuMemAlloc": _Function.on_stream,
    "mgpuMemFree": _Function.on_stream,
    "mgpuLaunchKernel": _Function.on_stream,
}


def called(op: Operation) -> str:
    """Return the function that `op` calls, or nothing."""
    return op.callee.root_reference.data if isinstance(op, CallOp) and op.callee is not None else ""


def is_null(value: SSAValue) -> bool:
    """Tell whether `value` is the null pointer."""
    return isinstance(value, OpResult) and value.op.name in ("llvm.mlir.zero", "llvm.mlir.null")


def _users(value: SSAValue) -> Iterator[Operation]:
    return (use.operation for use in value.uses)


def _leaves(value: SSAValue) -> bool:
    """Tell whether a stream goes where this function does not look: a branch, a return, a select, a call."""
    return any(
        not called(user).startswith("mgpu") and not isinstance(user, LaunchFuncOp) for user in _users(value)
    )
