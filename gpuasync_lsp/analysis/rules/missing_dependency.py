"""An async gpu op without the dependency that it needs.

## What happens
`async` alone creates no stream: only gpu.wait and gpu.launch_func create one. gpu.memcpy, gpu.memset, the
sparse ops and, up to LLVM 22, gpu.alloc and gpu.dealloc run on the stream of their only dependency, and do
not lower without it. `async []` is the same as no dependency.

## What it does not report
- An unused op that the release erases before it converts anything.
- gpu.wait and gpu.launch_func, which create a stream, and since LLVM 23 gpu.alloc and gpu.dealloc: GA209
  reports these.

## Example
```mlir
%t = gpu.memcpy async %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t]
```
Use instead:
```mlir
%stream = gpu.wait async
%t = gpu.memcpy async [%stream] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.dependencies import stream_before
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import fate, op_span, rejected
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find async ops that are rejected because they lack a dependency."""
    for op, _ in rejected(function, "GA103"):
        yield Draft(
            op_span(function, op.op),
            f"{fate(op.name, function.profile)}: it is async but has no dependency that provides a "
            "stream.\nCreate a stream with `gpu.wait async` and depend on it.",
            fixes=tuple(start_stream(function, op)),
        )


def start_stream(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    """Yield the fix that gives `op` a new stream to depend on.

    If no gpu.wait destroys the stream, the fix adds one after the stream's last op.
    """
    editor = Editor(function)
    stream = stream_before(editor, op.op)
    if not editor.dependencies(op.op, [stream]):
        return
    title = f"Create a stream for the {op.name} with `gpu.wait async`"
    last = _last_of_stream(function, op)
    if last is not None:
        editor.after(last, f"gpu.wait [{stream}]")
        title += ", and wait for that stream"
    yield Fix(title, Safety.SAFE, editor.done())


def _last_of_stream(function: AsyncFunction, op: AsyncOp) -> Operation | None:
    """Return the last op on the new stream of `op`; None if a wait, or another op, uses one of its tokens."""
    last, found = op.op, [op]
    for info in found:
        for use in info.token.uses if info.token is not None else ():
            user = function.by_op.get(use.operation)
            if (
                user is None
                or user.name == "gpu.wait"
                or len(user.deps) > 1
                or user.op.parent is not op.op.parent
            ):
                return None
            found.append(user)
            last = user.op if function.is_before(last, user.op) else last
    return last if op.token is not None else None


RULE = Rule("GA103", "missing-dependency", Severity.ERROR, check)
