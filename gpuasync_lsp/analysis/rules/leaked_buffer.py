"""Memory from gpu.alloc that is not freed and does not escape.

## What happens
Each call allocates device memory that can no longer be freed afterwards. A buffer that is freed only on some
paths leaks on the other paths; a buffer that is forwarded to another value by a loop or a branch may be freed
through that value. Memory that a callee allocates and returns must be freed by its caller.

## What it does not report
- A buffer that is returned, stored, or passed to an unknown callee or op.
- Paths that take too long to search.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.memcpy async [%t1] %p, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t2]
```
Use instead:
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.memcpy async [%t1] %p, %src : memref<4xf32>, memref<4xf32>
%dealloc = gpu.dealloc async [%t2] %p : memref<4xf32>
gpu.wait [%dealloc]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, Buffer, Kind, LostBuffer, Wait
from gpuasync_lsp.analysis.model.memory.descriptors import is_for_kernels
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, effects_of
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find device buffers that are neither freed nor escape."""
    if not function.analyzed:
        return
    for lost in function.lost:
        buffer, op = lost.buffer, lost.buffer.op
        if op is None or (op in function.by_op and function.by_op[op].erased):
            continue
        freed = bool(lost.path)
        fixes = () if freed or op not in function.by_op else tuple(_fixes(function, buffer))
        yield Draft(
            function.spans.result(buffer.value) or op_span(function, op),
            f"{function.span_name(buffer.value)} {_leak(lost)}.\nDeallocate it after its last "
            f"use{' on that path too' if freed else ''}."
            + ("" if fixes else sentence_of(_obstacle(function, buffer, freed=freed))),
            fixes=fixes,
        )


def _leak(lost: LostBuffer) -> str:
    if not lost.path:
        return "is never freed and does not escape: each call leaks it"
    return f"does not escape, and is not freed {lost.path}: such a call leaks it"


def _obstacle(function: AsyncFunction, buffer: Buffer, *, freed: bool) -> str:
    """Explain why no single dealloc suffices."""
    if freed:
        return "another path already frees it"
    if buffer.op not in function.by_op:
        return "a callee allocates it, on a stream that is unknown here"
    return "some uses are on other streams or through aliases, or no single wait follows all of them"


def _fixes(function: AsyncFunction, buffer: Buffer) -> Iterator[Fix]:
    """Yield the fix that deallocates before the only blocking wait on the alloc's stream."""
    assert buffer.op is not None
    alloc = function.by_op[buffer.op]
    handle = alloc.handle
    if handle is None or handle.kind is not Kind.STREAM or len(handle.waits) != 1 or alloc.rejections:
        return
    wait = handle.waits[0]
    if wait.op.parent is not alloc.op.parent or not wait.blocking:
        return
    if not function.is_before(alloc.op, wait.op):
        return
    if not all(_is_done_by(function, use, wait) for use in _uses(buffer.value)):
        return
    span = function.spans.operand(wait.op, wait.operand)
    if span is None:
        return
    editor = Editor(function)
    token = editor.fresh("dealloc")
    name = function.span_name(buffer.value)
    before = function.span_name(wait.value)
    kind = attribute_text(buffer.value.type)
    editor.before(wait.op, f"{token} = gpu.dealloc async [{before}] {name} : {kind}")
    editor.edits.append(Edit(span, token))
    yield Fix(f"Deallocate {name} before the wait", Safety.SAFE, editor.done())


def _uses(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that use `value`, a view of it, or a tensor map descriptor of it."""
    work, seen = [value], {value}
    while work:
        for use in work.pop().uses:
            name = use.operation.name
            if name in ALIASES or name in PARTS or is_for_kernels(use.operation):
                work += [view for view in use.operation.results if view not in seen]
                seen.update(use.operation.results)
            else:
                yield use.operation


def _is_done_by(function: AsyncFunction, use: Operation, wait: Wait) -> bool:
    """Return whether `use`, being synchronous or on the stream of `wait`, ends before a dealloc there."""
    around: Operation | None = use
    while around is not None and around.parent is not wait.op.parent:
        if around.name == "async.execute":
            return False
        around = around.parent_op()
    if around is None or not function.is_before(around, wait.op):
        return False
    info = function.by_op.get(use)
    if info is None:
        return effects_of(use) is not None
    return info.lowers and (info.handle is wait.handle or (info.token is None and not info.deps))


RULE = Rule("GA403", "leaked-buffer", Severity.WARNING, check)
