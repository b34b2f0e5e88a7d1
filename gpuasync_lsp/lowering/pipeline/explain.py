"""Comments on lowered ops that explain how they use streams and events.

Only runtime calls are considered: results of mgpuStreamCreate are streams, those of mgpuEventCreate are
events, arguments of a function belong to its caller. A comment on a wait for any other value says that it
is treated as an event without being one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.dialects.llvm import CallOp
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.syntax.xdsl_speed import operands_of
from gpuasync_lsp.text import Span

FUNCTIONS = ("llvm.func", "func.func")
"""Function ops; a func.func remains if the release does not lower it."""

NAMES = {"mgpuStreamCreate": "stream", "mgpuEventCreate": "event"}


class Comment(NamedTuple):
    """A comment on a lowered op; it refers to source locations, which are inserted when it is shown."""

    text: str
    """The text, with one `{}` per entry of `sources`."""
    sources: tuple[Span, ...] = ()

    def with_locations(self, words: Callable[[Span], str]) -> str:
        """Return the text, with `words(span)` in place of each `{}`, such as `%t0 (line 4)` or `line 4`."""
        return self.text.format(*map(words, self.sources))

    def shift(self, offset: int) -> Comment:
        """Return this comment with its locations shifted by `offset` code points."""
        return self._replace(sources=tuple(span.shift(offset) for span in self.sources))


@dataclass
class Explained:
    """The comments on the ops of a lowered module, and its streams."""

    comments: dict[Operation, Comment] = field(default_factory=dict[Operation, Comment])
    streams: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Maps each stream, and each event recorded on it, to the number of the stream in its function."""

    def stream_of(self, op: Operation) -> int | None:
        """Return the number of the stream that `op` creates or uses."""
        for value in (*op.results, *operands_of(op)):
            if value in self.streams:
                return self.streams[value]
        return None


def explain(module: Operation) -> Explained:
    """Return the comments on the ops of a lowered module, and the numbers of its streams."""
    found = Explained()
    for op in module.walk():
        if op.name in FUNCTIONS and op.regions[0].blocks:
            _Function(op, found)
    return found


class _Function:
    def __init__(self, function: Operation, found: Explained) -> None:
        self._sources: list[Span] = []
        """The source locations of the current comment."""
        self._names: dict[SSAValue, str] = {}
        self._destroyed: dict[tuple[Block | None, SSAValue], Operation] = {}
        calls = [(op, called(op)) for op in function.walk()]
        self._name_given(function)
        numbers = {"stream": 0, "event": 0}
        for op, name in calls:
            kind = NAMES.get(name)
            if kind is not None:
                self._names[op.results[0]] = f"{kind} {numbers[kind]}"
                if kind == "stream":
                    found.streams[op.results[0]] = numbers[kind]
                numbers[kind] += 1
            elif name == "mgpuEventRecord" and op.operands[1] in found.streams:
                found.streams[op.operands[0]] = found.streams[op.operands[1]]
        for op, name in calls:
            print_text = _SAY.get(name)
            if print_text is not None:
                self._sources.clear()
                found.comments[op] = Comment(print_text(self, op), tuple(self._sources))
            elif type(op) is LaunchFuncOp:
                if op.async_object is not None:
                    found.comments[op] = Comment(f"on {self.name(op.async_object)}")
                elif function.name == "llvm.func" and not _is_async(op):
                    # Source: mlir-translate creates a stream for it, and the host waits for the stream.
                    found.comments[op] = Comment("on a stream of its own, which the host waits for")

    def _name_given(self, function: Operation) -> None:
        """Name the caller's streams and events after the arguments: `caller's stream %arg0`."""
        for argument in function.regions[0].blocks[0].args:
            calls = {called(user) for user in _users(argument)}
            launches = any(isinstance(user, LaunchFuncOp) for user in _users(argument))
            if launches or calls & ON_STREAM:
                self._names[argument] = f"caller's stream {_given_name(argument)}"
            elif calls & ON_EVENT:
                self._names[argument] = f"caller's event {_given_name(argument)}"

    def name(self, value: SSAValue) -> str:
        """Return `stream 0`, `event 1`, or a description of a value that is neither."""
        known = self._names.get(value)
        if known is not None:
            return known
        return "the null stream" if is_null(value) else "a value that no call here creates"

    def create_stream(self, op: Operation) -> str:
        text = self.name(op.results[0]) + self._at(op, ": from {}")
        destroyed = [user for user in _users(op.results[0]) if called(user) == "mgpuStreamDestroy"]
        return text if destroyed or _leaves(op.results[0]) else f"{text}; leaked: never destroyed"

    def create_event(self, op: Operation) -> str:
        event = op.results[0]
        recorded = [user.operands[1] for user in _users(event) if called(user) == "mgpuEventRecord"]
        waiting = [user.operands[0] for user in _users(event) if called(user) == "mgpuStreamWaitEvent"]
        text = self.name(event)
        if recorded and waiting:
            into = ", ".join(dict.fromkeys(map(self.name, waiting)))
            text += f": join of {self.name(recorded[0])} into {into}" + self._at(op, ", for {}")
        return text

    def record(self, op: Operation) -> str:
        return f"{self.name(op.operands[0])} completes after the work so far on {self.name(op.operands[1])}"

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
        streams = [value for value in op.operands if "stream" in self._names.get(value, "")]
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
        return ", which has ended before" + self._at(first, " (at {})")

    def _at(self, op: Operation, text: str) -> str:
        """Return `text`, recording the source of `op` for its `{}`; empty if the source is unknown."""
        span = source_span(op)
        if span is None:
            return ""
        self._sources.append(span)
        return text

    def _mistaken(self, op: Operation, kind: str) -> str:
        """Return a remark if a stream is treated as an event or vice versa."""
        name = self._names.get(op.operands[0])
        word = {"stream": "a stream", "event": "an event"}[kind]
        return f", taken for {word}" if name is None or kind not in name else ""


def _given_name(argument: BlockArgument) -> str:
    """Return the name of an argument in the source, or its number if it has none."""
    return f"%{argument.name_hint or f'arg{argument.index}'}"


ON_STREAM = frozenset(
    {"mgpuMemcpy", "mgpuMemset32", "mgpuMemset16", "mgpuMemAlloc", "mgpuMemFree", "mgpuLaunchKernel"}
)
"""Runtime functions that enqueue work on a stream."""
ON_EVENT = frozenset({"mgpuEventSynchronize", "mgpuStreamWaitEvent", "mgpuEventDestroy"})
"""Runtime functions with an event argument."""

_SAY: Mapping[str, Callable[[_Function, Operation], str]] = {
    "mgpuStreamCreate": _Function.create_stream,
    "mgpuEventCreate": _Function.create_event,
    "mgpuEventRecord": _Function.record,
    "mgpuStreamWaitEvent": _Function.wait_event,
    "mgpuStreamSynchronize": _Function.synchronize,
    "mgpuEventSynchronize": _Function.synchronize_event,
    "mgpuStreamDestroy": _Function.destroy,
    "mgpuEventDestroy": _Function.destroy_event,
    **dict.fromkeys(ON_STREAM, _Function.on_stream),
}


def called(op: Operation) -> str:
    """Return the name of the function that `op` calls; empty if `op` is not a call."""
    # Compare classes: `isinstance` is slow for op classes, which are abstract.
    callee = op.properties.get("callee") if type(op) is CallOp else None
    return callee.root_reference.data if isinstance(callee, SymbolRefAttr) else ""


def is_null(value: SSAValue) -> bool:
    """Return whether `value` is the null pointer."""
    return isinstance(value, OpResult) and value.op.name in ("llvm.mlir.zero", "llvm.mlir.null")


def _is_async(op: LaunchFuncOp) -> bool:
    return op.async_token is not None or bool(op.async_dependencies)


def _users(value: SSAValue) -> Iterator[Operation]:
    return (use.operation for use in value.uses)


def _leaves(value: SSAValue) -> bool:
    """Return whether a stream escapes to a branch, return, select or other call.

    If it does, it is unknown whether the stream is destroyed."""
    return any(
        not called(user).startswith("mgpu") and not isinstance(user, LaunchFuncOp) for user in _users(value)
    )
