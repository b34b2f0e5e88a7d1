"""Descriptions of streams and events for hover, hints and lenses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, Handle, Kind, Origin
from gpuasync_lsp.analysis.model.function import Action
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.symbols import symbol_text


def label(function: AsyncFunction, handle: Handle) -> str:
    """Return the short name of a handle: `stream 0`, `caller's stream %s`, `event`, `null stream`."""
    if handle.kind is Kind.STREAM:
        return f"stream {function.stream_numbers[handle]}"
    if handle.is_given:
        return f"caller's {handle.given_as} {function.span_name(handle.value)}"
    if handle.kind is Kind.OPAQUE:
        # The label names the handle's actual kind, although gpu-to-llvm treats it as an event (see
        # Kind.OPAQUE).
        return "stream treated as an event" if handle.only is Origin.STREAM else "event"
    return handle.kind.value


def facts(function: AsyncFunction, handle: Handle) -> list[str]:
    """Return the ops that create, use, join, wait on and destroy a handle, one sentence each."""
    lines: list[str] = []
    if handle.op is not None and handle.kind is not Kind.OPAQUE:
        lines.append(f"created by {_quote(function, handle.op)}")
    elif handle.is_given:
        lines.append(f"passed by the caller; this function {and_(what_is_done(function, handle))}")
    elif handle.kind is Kind.OPAQUE:
        lines.append(_whence(function, handle))
        lines.append("gpu-to-llvm treats it as an event at `gpu.wait`, as a stream everywhere else")
    for joiner in handle.joins:
        lines.append(f"joined through an event into {_quote(function, joiner.op)}")
    if handle.waits:
        for wait in handle.waits:
            word = "waited for and destroyed" if wait.blocking else "destroyed, without the host waiting,"
            lines.append(f"{word} by {_quote(function, wait.op)}")
    elif handle.kind is Kind.STREAM and not handle.escapes:
        lines.append("never waited for, never destroyed")
    for op in (*handle.escapes, *handle.lent):
        lines.append(f"passed to {_quote(function, op)}")
    return lines


def _whence(function: AsyncFunction, handle: Handle) -> str:
    """Return the origin of a token that no op in this function turns into a stream or an event."""
    owner = handle.value.owner
    if isinstance(owner, Operation):
        return f"returned by {_quote(function, owner)}"
    around = owner.parent_op()
    is_entry = owner.parent is not None and owner.parent.first_block is owner
    if around is None or around.parent_op() is None or not is_entry:
        return "passed by the caller, who created it" if is_entry else "passed by the branches to this block"
    return f"passed by {_quote(function, around)}"


def what_is_done(function: AsyncFunction, handle: Handle) -> list[str]:
    """Return how the function uses a stream or an event of its caller: `works on it`, `destroys it`."""
    callees = [callee for op in (*handle.lent, *handle.escapes) if (callee := callee_of(op)) is not None]
    works = bool(handle.enqueues) or handle.callee_works
    blocking = [wait for wait in handle.waits if wait.blocking]
    found = ["works on it"] * works
    found += ["waits for it and destroys it"] * bool(blocking)
    found += ["lets a stream wait for it and destroys it"] * (len(handle.waits) > len(blocking))
    found += ["leaves work on it"] * (works and not blocking)
    found += ["returns it"] * any(op.name == "func.return" for op in handle.escapes)
    found += [f"passes it to {symbol_text(callee)}" for callee in dict.fromkeys(callees)]
    return found or ["does nothing with it"]


def and_(parts: Sequence[str]) -> str:
    """Join the parts into one phrase: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def runtime_calls(function: AsyncFunction, op: Operation) -> list[str]:
    """Return the runtime calls that `op` lowers to, in order."""
    calls: list[str] = []
    for node in function.nodes:
        for step in node.steps:
            if step.op is not op:
                continue
            if step.action is Action.ENQUEUE:
                calls.append(_ENQUEUES.get(op.name, op.name))
            elif step.action in _CALLS:
                calls += _CALLS[step.action]
            elif step.action is Action.BLOCK and step.handle is not None:
                what = "Stream" if step.handle.kind is Kind.STREAM else "Event"
                calls += [f"mgpu{what}Synchronize", f"mgpu{what}Destroy"]
    own = _ENQUEUES.get(op.name)
    # The host allocates and frees synchronously, so these calls are not work on the stream.
    if own is not None and own not in calls:
        calls.append(own)
    return calls


def function_with(functions: list[AsyncFunction], value: SSAValue) -> AsyncFunction | None:
    """Return the function whose model has the token `value`."""
    return next((f for f in functions if f.handle(value) is not None), None)


_CALLS: dict[Action, tuple[str, ...]] = {
    Action.CREATE: ("mgpuStreamCreate",),
    Action.RECORD: ("mgpuEventCreate", "mgpuEventRecord"),
    Action.AWAIT_EVENT: ("mgpuStreamWaitEvent", "mgpuEventDestroy"),
    Action.CONSUME: ("mgpuStreamWaitEvent", "mgpuEventDestroy"),
    Action.COMPLETE: ("mgpuStreamSynchronize", "mgpuStreamDestroy"),
}

_ENQUEUES = {
    "gpu.alloc": "mgpuMemAlloc",
    "gpu.dealloc": "mgpuMemFree",
    "gpu.memcpy": "mgpuMemcpy",
    "gpu.memset": "mgpuMemset",
    "gpu.launch_func": "mgpuLaunchKernel",
}


def _quote(function: AsyncFunction, op: Operation) -> str:
    spans = function.spans
    text = op.name if op not in spans.ops else spans.op(op).of(spans.text)
    first = " ".join(text.split("\n", 1)[0].split())
    return f"`{first if len(first) <= 80 else first[:77] + '...'}`"
