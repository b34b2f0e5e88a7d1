"""A blocking wait that delays independent work, or that every iteration of a loop executes.

## What happens
A blocking gpu.wait stops the host until the stream is empty. Later work on another stream that does not need
the results could have started earlier. In a loop, a stream that each iteration creates, waits for and
destroys costs three calls per iteration, and the device is idle while the host is between iterations.

## What it does not report
- Work that may need the results, judging by the memory that it accesses.
- Waits in branches, for work outside them.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%a]
%b = gpu.memcpy async [%t1] %dst2, %src2 : memref<4xf32>, memref<4xf32>
gpu.wait [%b]
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
%b = gpu.memcpy async [%t1] %dst2, %src2 : memref<4xf32>, memref<4xf32>
gpu.wait [%a]
gpu.wait [%b]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Kind
from gpuasync_lsp.analysis.model.memory.touched import Touched
from gpuasync_lsp.analysis.repairs.dependencies import is_pure
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Fix, Safety, Severity

_WORK = frozenset({"gpu.memcpy", "gpu.memset", "gpu.launch_func"})


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits in a loop on a stream of the same iteration, and waits before unrelated work."""
    joined: Mapping[Handle, Sequence[Handle]] | None = None
    for op in dict.fromkeys(
        wait.op for wait in function.waits if wait.blocking and wait.op in function.by_op
    ):
        wait = function.by_op[op]
        stream = _stream_of_iteration(function, wait)
        if stream is not None:
            assert stream.op is not None
            yield Draft(
                op_span(function, wait.op),
                "Each iteration creates a stream, and the host waits for it before the next "
                "iteration.\nCreate the stream before the loop and wait once after it: the iterations stay "
                "in order.",
                at_op(function, stream.op, "created here in each iteration"),
                tuple(_wait_after_loop(function, wait, stream)),
            )
            continue
        following = _next_work(function, wait)
        if following is None:
            continue
        if joined is None:
            joined = _joined(function)
        delayed = _delayed(function, wait, following, joined)
        if delayed:
            yield Draft(
                op_span(function, wait.op),
                f"The host waits here before it starts the next {delayed[0].name}, which does not need the "
                "results.\nMove the wait down, after the work on other streams.",
                at_op(function, delayed[0].op, "this could start earlier"),
                tuple(_wait_later(function, wait, delayed[-1])),
            )


def _stream_of_iteration(function: AsyncFunction, wait: AsyncOp) -> Handle | None:
    """Return the stream that a loop's body creates and `wait` destroys.

    Returns None if the host does anything else in the body."""
    block, handle = wait.op.parent, function.tokens[wait.deps[0]]
    loop = wait.op.parent_op()
    if block is None or loop is None or loop.name != "scf.for" or len(wait.deps) != 1:
        return None
    created = function.by_op.get(handle.op) if handle.op is not None else None
    if handle.kind is not Kind.STREAM or created is None or created.name != "gpu.wait" or created.deps:
        return None
    if len(handle.waits) != 1 or handle.joins or handle.goes_on or not handle.enqueues:
        return None
    for op in block.ops:
        info = function.by_op.get(op)
        if op in (wait.op, created.op, block.last_op) or is_pure(op):
            continue
        if info is None or info.name not in _WORK or info.handle is not handle or not info.lowers:
            return None
    return handle if created.op.parent is block else None


def _delayed(
    function: AsyncFunction, wait: AsyncOp, first: AsyncOp, joined: Mapping[Handle, Sequence[Handle]]
) -> list[AsyncOp]:
    """Return the consecutive gpu ops from `first` on, after `wait`, that do not depend on the wait."""
    following: AsyncOp | None = first
    done = _waited_for(function, wait, joined)
    touched = Touched(e for handle in done for e in handle.enqueues if e.order < wait.order)
    found: list[AsyncOp] = []
    while touched.all and following is not None:
        if not _could_start(done, following) or not touched.is_apart_from(following):
            break
        found.append(following)
        following = _next_work(function, following)
    return found


def _next_work(function: AsyncFunction, after: AsyncOp) -> AsyncOp | None:
    """Return the next gpu op, skipping ops that only compute or create a stream; None if any other op
    precedes it."""
    following = after.op.next_op
    while following is not None:
        op = function.by_op.get(following)
        makes_a_stream = op is not None and op.name == "gpu.wait" and op.token is not None and not op.deps
        if not makes_a_stream and not is_pure(following):
            return op if op is not None and op.name in _WORK else None
        following = following.next_op
    return None


def _joined(function: AsyncFunction) -> dict[Handle, list[Handle]]:
    found: dict[Handle, list[Handle]] = {}
    for handle in function.handles:
        for join in handle.joins:
            if join.handle is not None:
                found.setdefault(join.handle, []).append(handle)
    return found


def _waited_for(
    function: AsyncFunction, wait: AsyncOp, joined: Mapping[Handle, Sequence[Handle]]
) -> set[Handle]:
    """Return the streams whose work is complete after `wait`: its own, and those joined into them."""
    work = [function.tokens[dep] for dep in wait.deps]
    done = set(work)
    while work:
        for handle in joined.get(work.pop(), ()):
            if handle not in done:
                done.add(handle)
                work.append(handle)
    return done


def _could_start(done: set[Handle], op: AsyncOp) -> bool:
    """Return whether `op` is work on a stream that is not in `done`, the streams that the wait waits on."""
    if op.name not in _WORK or not op.lowers or op.token is None or not op.accesses:
        return False
    return op.handle is not None and op.handle.kind is Kind.STREAM and op.handle not in done


def _wait_later(function: AsyncFunction, wait: AsyncOp, last: AsyncOp) -> Iterator[Fix]:
    if wait.op not in function.spans.ops or last.op not in function.spans.ops:
        return
    editor = Editor(function)
    editor.after(last.op, function.spans.op(wait.op).of(function.spans.text))
    editor.remove(wait.op)
    yield Fix(f"Wait after the {last.name}", Safety.UNSAFE, editor.done(), "the host waits later")


def _wait_after_loop(function: AsyncFunction, wait: AsyncOp, stream: Handle) -> Iterator[Fix]:
    loop = wait.op.parent_op()
    if loop is None or stream.op is None or not {loop, wait.op, stream.op} <= function.spans.ops.keys():
        return
    editor = Editor(function)
    name = editor.fresh("stream")
    editor.before(loop, f"{name} = gpu.wait async")
    editor.remove(stream.op)
    editor.replace_uses(stream.value, name, besides=wait.op)
    editor.remove(wait.op)
    editor.after(loop, f"gpu.wait [{name}]")
    yield Fix("Wait once, after the loop", Safety.UNSAFE, editor.done(), "the host waits later")


RULE = Rule("GA503", "early-wait", Severity.INFORMATION, check)
