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

from gpuasync_lsp.analysis.edits import Editor
from gpuasync_lsp.analysis.memory import Touched
from gpuasync_lsp.analysis.model import AsyncFunction, AsyncOp, Handle, Kind
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits directly followed by work on a stream that existed before, on other buffers."""
    for wait in function.ops:
        if wait.name != "gpu.wait" or wait.token is not None or not wait.deps:
            continue
        delayed = _delayed(function, wait)
        if not delayed:
            continue
        yield Draft(
            op_span(function, wait.op),
            f"The host waits here before it starts the next {delayed[0].name}, which needs none of the "
            "results.\nMove the wait down, behind the work on other streams.",
            at_op(function, delayed[0].op, "this could start earlier"),
            tuple(_fixes(function, wait, delayed[-1])),
        )


def _delayed(function: AsyncFunction, wait: AsyncOp) -> list[AsyncOp]:
    """Return the gpu ops directly behind `wait` that have all they need before it."""
    waited = {function.tokens[d] for d in wait.deps}
    before = [e for handle in waited for e in handle.enqueues if e.order < wait.order]
    touched = Touched(before)
    found: list[AsyncOp] = []
    following = wait.op.next_op
    while touched.all and following is not None:
        op = function.by_op.get(following)
        if op is None or not _could_start(function, wait, waited, op) or not touched.is_apart_from(op):
            break
        found.append(op)
        following = following.next_op
    return found


def _could_start(function: AsyncFunction, wait: AsyncOp, waited: set[Handle], op: AsyncOp) -> bool:
    """Tell whether `op` is work on a stream that is there before `wait` and that `wait` leaves alone."""
    if op.name not in ("gpu.memcpy", "gpu.memset", "gpu.launch_func") or not op.lowers or op.token is None:
        return False
    handle = op.handle
    if handle is None or handle.kind is not Kind.STREAM or handle.op is None or handle in waited:
        return False
    created = function.order.get(handle.op)
    return created is not None and created < wait.order and bool(op.accesses)


def _fixes(function: AsyncFunction, wait: AsyncOp, last: AsyncOp) -> Iterator[Fix]:
    if wait.op not in function.spans.ops or last.op not in function.spans.ops:
        return
    editor = Editor(function)
    editor.after(last.op, function.spans.op(wait.op).of(function.spans.text))
    editor.remove(wait.op)
    yield Fix(f"Wait behind the {last.name}", Safety.UNSAFE, editor.done(), "the host waits later")


RULE = Rule("GA503", "early-wait", Severity.INFORMATION, check)
