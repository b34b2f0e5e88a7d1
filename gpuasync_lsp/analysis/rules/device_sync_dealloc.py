"""A dealloc while other streams have work.

## What happens
gpu.dealloc becomes cuMemFree, which is not stream-ordered: it waits for the whole device. The host blocks
until every stream is idle, not only the stream of the dealloc.

## What it does not report
- Device work of a callee on streams that it creates and does not leave running.
- Work on the buffer itself: GA303 reports it.
- Work on a stream that may be the dealloc's own: a token that a loop carries, a stream that is passed to a
  callee.
- A dealloc after another one with no work enqueued in between: the first has synchronized the device.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%p, %a = gpu.alloc async [%t0] () : memref<4xf32>
%b = gpu.memcpy async [%t1] %dst, %src : memref<4xf32>, memref<4xf32>
%c = gpu.dealloc async [%a] %p : memref<4xf32>
gpu.wait [%c, %b]
```
Use instead (since LLVM 23; in earlier releases a dealloc needs its own stream):
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%p, %a = gpu.alloc async [%t0] () : memref<4xf32>
%b = gpu.memcpy async [%t1] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%a, %b]
gpu.dealloc %p : memref<4xf32>
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, AsyncOp, Handle
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.analysis.repairs.dependencies import NAMES
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find deallocs with pending work on other streams."""
    streams: dict[Access, Handle] = {}
    for op in function.ops:
        if op.name != "gpu.dealloc" or not op.lowers or _follows_another(function, op):
            continue
        others = _others(function, op, streams)
        first = next(others, None)
        if first is not None:
            yield Draft(
                op_span(function, op.op),
                "This dealloc waits for the whole device while other streams have work: cuMemFree is not "
                f"stream-ordered.\nMove {_shown(function, op)} after the waits for those streams.",
                at_op(function, first.op, "work that may still be running"),
                tuple(_fixes(function, op, chain((first,), others))),
            )


def _follows_another(function: AsyncFunction, dealloc: AsyncOp) -> bool:
    """Return whether an earlier dealloc has synchronized the device, without any work enqueued since."""
    op = dealloc.op.prev_op
    while op is not None:
        info = function.by_op.get(op)
        if info is not None and info.name == "gpu.dealloc" and info.lowers:
            return True
        if op.regions or callee_of(op) is not None or (info is not None and info.accesses):
            return False
        op = op.prev_op
    return False


def _others(function: AsyncFunction, dealloc: AsyncOp, streams: dict[Access, Handle]) -> Iterator[Access]:
    """Yield the accesses to other memory on other streams that may still be running.

    `streams` is filled, if needed, with the streams of accesses made by callees."""
    buffers = {access.buffer for access in dealloc.accesses}
    for access in function.each_of(function.pending.get(dealloc.op, 0)):
        if access.handle is dealloc.handle or access.buffer in buffers:
            continue
        if access.handle is None and not streams:
            steps = (step for node in function.nodes for step in node.steps)
            streams.update((a, s.handle) for s in steps if s.handle is not None for a in s.accesses)
        if not _may_be_same(access.handle or streams.get(access), dealloc.handle):
            yield access


def _may_be_same(one: Handle | None, other: Handle | None) -> bool:
    """Return whether two handles may be the same stream; False for a stream without a token."""
    if one is None or other is None:
        return False
    first, second = ({handle, *handle.members} for handle in (one, other))
    unknown = [any(isinstance(member, Origin) for member in members) for members in (first, second)]
    return not first.isdisjoint(second) or all(unknown)


def _shown(function: AsyncFunction, op: AsyncOp) -> str:
    names = [function.span_name(access.buffer.value) for access in op.accesses]
    return f"the dealloc of {names[0]}" if names else "it"


def _fixes(function: AsyncFunction, dealloc: AsyncOp, others: Iterable[Access]) -> Iterator[Fix]:
    """Yield the fix that moves the dealloc after this block's waits on its stream and on the others."""
    token, spans = dealloc.token, function.spans
    if token is None or len(dealloc.deps) != 1 or dealloc.op not in spans.ops:
        return
    users = list(token.uses)
    wait = function.by_op.get(users[0].operation) if len(users) == 1 else None
    place = None if wait is None else spans.operand(wait.op, users[0].index)
    if wait is None or wait.name != "gpu.wait" or wait.token is not None or place is None:
        return
    behind = [wait.op]
    known = set[Handle]()
    for handle in (access.handle for access in others):
        if handle in known:
            continue
        waits = [w.op for w in handle.waits if w.blocking] if handle is not None else []
        if handle is None or not waits:
            return
        known.add(handle)
        behind.append(waits[-1])
    if any(op.parent is not dealloc.op.parent or not function.is_before(dealloc.op, op) for op in behind):
        return
    last = max(behind, key=lambda op: function.order[op])
    editor = Editor(function)
    name, dep = spans.name(dealloc.op), spans.deps(dealloc.op)
    rest = spans.text[(dep or name).end : spans.op(dealloc.op).end].strip()
    if function.profile.alloc_needs_one_dependency:
        stream, freed = editor.fresh("stream"), editor.fresh(NAMES[dealloc.name])
        statements = [f"{stream} = gpu.wait async", f"{freed} = gpu.dealloc async [{stream}] {rest}"]
        statements.append(f"gpu.wait [{freed}]")
    else:
        statements = [f"gpu.dealloc {rest}"]
    editor.remove(dealloc.op)
    editor.edits.append(Edit(place, function.span_name(dealloc.deps[0])))
    editor.after(last, *statements)
    yield Fix("Move the dealloc after the waits", Safety.UNSAFE, editor.done(), "the memory is freed later")


RULE = Rule("GA504", "device-sync-dealloc", Severity.INFORMATION, check)
