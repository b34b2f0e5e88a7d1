"""A blocking wait that delays independent work.

## What happens
A blocking gpu.wait stops the host until the stream is empty. Work that comes directly after it, on another
stream and without need of the results, could have been started before.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%a]
%b = gpu.memcpy async [%t1] %dst2, %src2 : memref<4xf32>, memref<4xf32>
gpu.wait [%b]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.memory import disjoint
from gpuasync_lsp.analysis.model import AsyncFunction, AsyncOp, Handle, Kind, Mode
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits directly followed by work on a stream that existed before, on other buffers."""
    for wait in function.ops:
        if wait.name != "gpu.wait" or wait.token is not None or not wait.deps:
            continue
        following = wait.op.next_op
        info = function.by_op.get(following) if following is not None else None
        if (
            info is None
            or info.name not in ("gpu.memcpy", "gpu.memset", "gpu.launch_func")
            or not info.lowers
        ):
            continue
        handle = info.handle
        if handle is None or handle.kind is not Kind.STREAM or handle.op is None or info.token is None:
            continue
        if handle.op not in function.order or function.order[handle.op] > wait.order:
            continue
        waited = {function.tokens[d] for d in wait.deps}
        if handle in waited or not _independent(info, waited):
            continue
        yield Draft(
            op_span(function, wait.op),
            f"The host waits here before it starts the next {info.name}, which needs none of the results.\n"
            "Move the wait down, behind the work on other streams.",
            at_op(function, info.op, "this could start earlier"),
        )


def _independent(op: AsyncOp, waited: set[Handle]) -> bool:
    others = [a for h in waited for e in h.enqueues if e.order < op.order for a in e.accesses]
    for x in op.accesses:
        for y in others:
            if not x.sure or not y.sure:
                return False
            if x.buffer is y.buffer and not disjoint(x, y) and not (x.mode is y.mode is Mode.READ):
                return False
    return bool(op.accesses) and bool(others)


RULE = Rule("GA503", "early-wait", Severity.INFORMATION, check)
