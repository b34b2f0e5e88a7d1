"""A gpu.wait that waits for nothing.

## What happens
gpu-to-llvm erases a `gpu.wait` without operands and without `async`. It waits neither for the device nor for
any stream: gpu.wait synchronizes only the streams of its operands.

## What it does not report
- `gpu.wait async` without operands, which creates a stream.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Kind
from gpuasync_lsp.analysis.repairs.dependencies import dominates
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.text import Fix, Safety, Severity

_MANY = 9
"""With this number of tokens or more, the message does not name them."""
_TITLE = "Remove this gpu.wait"


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find blocking waits without operands."""
    for op in function.ops:
        if op.name == "gpu.wait" and op.token is None and not op.deps:
            yield Draft(
                op_span(function, op.op),
                "This gpu.wait synchronizes nothing: without operands it is erased.\n"
                + _advice(function, op),
                fixes=tuple(_fixes(function, op)),
            )


def _advice(function: AsyncFunction, op: AsyncOp) -> str:
    pending = list(islice(_pending(function, op), _MANY))
    if 0 < len(pending) < _MANY:
        names = ", ".join(function.span_name(token) for token in pending)
        return f"Nothing waits for {names}: write `gpu.wait [{names}]`, or remove this gpu.wait."
    return "Name the tokens to wait for, or remove this gpu.wait."


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    pending = list(islice(_pending(function, op), _MANY))
    if 0 < len(pending) < _MANY:
        editor = Editor(function)
        names = [function.span_name(token) for token in pending]
        if editor.dependencies(op.op, names):
            title = f"Wait for {', '.join(names)}"
            yield Fix(title, Safety.UNSAFE, editor.done(), "the host waits there now")
    editor = Editor(function)
    editor.remove(op.op)
    if pending or any(_may_run(each) for each in function.ops if each.order < op.order):
        reason = "nothing waits there for the work that still runs"
        yield Fix(_TITLE, Safety.UNSAFE, editor.done(), reason)
    else:
        yield Fix(_TITLE, Safety.SAFE, editor.done())


def _may_run(op: AsyncOp) -> bool:
    """Return whether an op enqueues work on anything but a stream of this function."""
    return op.name != "gpu.wait" and op.handle is not None and op.handle.kind is not Kind.STREAM


def _pending(function: AsyncFunction, op: AsyncOp) -> Iterator[SSAValue]:
    """Yield the last token of each stream of this block that no wait destroys and no later op uses."""
    for handle in function.streams:
        if handle.waits or handle.goes_on or handle.op is None or handle.op.parent is not op.op.parent:
            continue
        if any(e.order > op.order for e in (*handle.enqueues, *handle.joins)):
            continue
        tokens = [t for t in handle.tokens if isinstance(t.owner, Operation)]
        tokens = [t for t in tokens if dominates(function, t, op.op)]
        if tokens:
            yield tokens[-1]


RULE = Rule("GA210", "empty-wait", Severity.WARNING, check)
