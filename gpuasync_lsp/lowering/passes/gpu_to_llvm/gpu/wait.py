"""gpu.wait: a blocking wait synchronizes and destroys; an async wait joins its operands into a new stream."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects.gpu import WaitOp


class Wait(ConversionPattern[WaitOp]):
    """`gpu.wait [...]` synchronizes and destroys each operand, a stream or an event.

    Without operands it is erased. `gpu.wait async [...]` creates a stream that waits for one event per
    operand."""

    def match_and_rewrite(self, op: WaitOp, rewriter: ConversionRewriter) -> None:
        if op.async_token is not None:
            events = [event_of(rewriter, token) for token in op.async_dependencies]
            stream = runtime.call_value(rewriter, runtime.STREAM_CREATE)
            wait_for_events(rewriter, stream, events)
            rewriter.replace(op, [stream])
            return
        for token in rewriter.lowered_all(op.async_dependencies):
            kind = "Stream" if runtime.is_stream(token) else "Event"
            runtime.call(rewriter, f"mgpu{kind}Synchronize", token)
            runtime.call(rewriter, f"mgpu{kind}Destroy", token)
        rewriter.erase(op)


def event_of(rewriter: ConversionRewriter, token: SSAValue) -> SSAValue:
    """Return the event for `token`: the lowered token, or a new event if the token is a stream.

    The event is recorded on the stream directly after the op that *defines* the token; it does not
    cover later work on the stream."""
    lowered = rewriter.lowered(token)
    if not runtime.is_stream(lowered):
        return lowered
    assert isinstance(token.owner, Operation), "a stream is the result of an op"
    with rewriter.directly_after(token.owner):
        event = runtime.call_value(rewriter, "mgpuEventCreate")
        runtime.call(rewriter, "mgpuEventRecord", event, lowered)
    return event


def wait_for_events(rewriter: ConversionRewriter, stream: SSAValue, events: Sequence[SSAValue]) -> None:
    """Make `stream` wait for all `events`, then destroy them."""
    for event in events:
        runtime.call(rewriter, "mgpuStreamWaitEvent", stream, event)
    for event in events:
        runtime.call(rewriter, "mgpuEventDestroy", event)
