"""Two unordered device accesses to one buffer, at least one of them a write.

## What happens
Ops on one stream run in order; ops on different streams run concurrently unless an event or a host wait
orders them. `gpu.wait async [%a]` covers the work that was on the stream when %a was *defined*, not work that
was enqueued later.

The effects of gpu.memcpy, gpu.memset and gpu.dealloc are known; those of a launch are derived from the body
of its kernel and of the functions that it calls in its module. An argument that the body only reads does not
conflict with other reads. An argument that only atomic ops update does not conflict with atomic updates of
another kernel, but does with atomic ops of the host, because most systems have no atomics across the bus.
`llvm.readonly`, `llvm.writeonly`, `llvm.readnone`, `bufferization.access` and `bufferization.writable` on an
argument override the body. A kernel whose body is not in the file may read and write its arguments; the
finding says so, and `// gpuasync: ignore[GA301]` suppresses it.

A pointer is traced to the memref that it was extracted from, to an argument, or to the result of a call: two
kernels with the same pointer and the same offsets access the same memory. A launch on a stream object
(`<%stream : !llvm.ptr>`) runs there until a call such as mgpuStreamSynchronize or cudaStreamSynchronize;
mgpuEventRecord and mgpuStreamWaitEvent order streams. Two stream arguments count as different streams.

Memory is followed through views, loops, branches, selects, block arguments and callees that return an
argument; subviews are compared in the coordinates of their buffer. The elements that a launch accesses are
modeled as sums of ids, loop counters and arguments, under guards such as `id < n`, if the launch determines
these values. If all launch sizes are constants, the addresses of up to 65,536 threads are computed exactly:
divisions, remainders, guards, branches, loops and any views, in the gpu and the llvm dialect. A copy into a
view whose offset is ignored (GA208) counts as a write to the addresses that it actually writes.

## What it does not report
- Two arguments of the function, unless a call in the file passes one value for both, and two results of
  calls: they count as different memory.
- Parts of a buffer whose positions are unknown: at two unrelated indices, or in a matrix of unknown strides
  (except blocks of rows that begin in the same column).
- Launches whose threads certainly access different elements; if that is not certain, each launch counts as
  accessing all of them.
- Callees that wait for the caller's streams, and two arguments of a callee that are views of one buffer.
- Work that a callee leaves running on a stream that it waits for, or returns, on some path; functions that
  are called through a value that is not a `func.constant`.
- Paths that take too long to search, if they determine which memory or stream is used.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%b = gpu.memcpy async [%t1] %src, %dst : memref<4xf32>, memref<4xf32>
gpu.wait [%a, %b]
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%join = gpu.wait async [%t1, %a]
%b = gpu.memcpy async [%join] %src, %dst : memref<4xf32>, memref<4xf32>
gpu.wait [%a, %b, %t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Race
from gpuasync_lsp.analysis.repairs.ordering import order_after
from gpuasync_lsp.analysis.repairs.waiting import reason, sentence_of, wait_by_event
from gpuasync_lsp.analysis.repairs.waiting_earlier import wait_earlier
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, left_by_callee, listing, op_span, overlap
from gpuasync_lsp.preconditions import is_layout_ignored
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Severity

_UNSEEN = (
    "Nothing orders the two. The kernel's body is not in this file: if it only reads, there is no race; "
    "otherwise depend on the token, or wait for it."
)
_ADVICE = "Nothing orders the two: depend on its token, or wait for it."
_OF_TASK = "Nothing orders the two: first await the enclosing async.execute."


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find unordered pairs of device accesses."""
    if not function.analyzed:
        return
    reported: set[tuple[Operation, str]] = set()
    for race in function.races:
        first, second = race.first, race.second
        if (
            second.dependent is not None
            or first.by_host
            or second.by_host
            or Mode.FREE in (first.mode, second.mode)
        ):
            continue
        if (left := left_by_callee(first)) is not None:
            if (second.op, left) in reported:
                continue  # This is a single fault, in the callee, even if several buffers show it.
            reported.add((second.op, left))
        name = function.span_name(second.buffer.value)
        unseen = any(not a.sure and a.op.name == "gpu.launch_func" for a in (first, second))
        advice = _UNSEEN if unseen else _OF_TASK if first.task else _ADVICE
        fixes = tuple(order_after(function, race))
        fixes = fixes or (tuple(wait_earlier(function, race)) if second.host else ())
        fixes = fixes or tuple(wait_by_event(function, race))
        why = "" if fixes else reason(function, race) or "there is no place to insert a wait"
        yield Draft(
            op_span(function, second.op),
            overlap(function, race, f"This {second.op.name} {second.mode.value} {name}", advice)
            + _elsewhere(function, race)
            + sentence_of(why),
            at_op(function, first.op, "the other access"),
            fixes,
        )


def _elsewhere(function: AsyncFunction, race: Race) -> str:
    """Return a note if a copy writes bytes other than those that its text suggests."""
    values = [a.value for a in (race.first, race.second) if a.op.name == "gpu.memcpy"]
    names = dict.fromkeys(function.span_name(v) for v in values if is_layout_ignored(v.type))
    label = function.profile.label
    return f" {label} ignores the offset and strides of {listing(names)} (GA208)." if names else ""


RULE = Rule("GA301", "data-race", Severity.WARNING, check)
