"""A host access to memory while device work on it may still be running.

## What happens
An async op returns immediately. A memref.load, memref.store, memref.copy or call after it runs on the host
immediately, unless a blocking gpu.wait on the op's stream (or an async.await of its event) precedes it. The
same holds after an async.execute: its body is complete only after an async.await of its token or group.

The memory of a memref.alloca lives until its function, memref.alloca_scope or async.execute is left. A load
or store accesses a single element, at an index that is a constant, a sum of values or a loop counter. The
effects of a callee are derived from its body; the runner's `printMemref...` functions only read. Work that a
callee leaves running on its own streams cannot be waited for after the call, except by a function that waits
for the whole device, such as `cudaDeviceSynchronize`.

## What it does not report
- An element at an unknown index that may be outside the part of the buffer that the device accesses.
- Unknown callees without a body, and functions that are called through a value that is not a
  `func.constant`.
- Work that a callee leaves running on a stream that it waits for, or returns, on some path: GA401 reports it
  in the callee.
- Waits in a callee that itself calls an unknown function.
- Memory that the host reaches through pointers that are neither arguments nor call results, through tensors,
  or through memrefs that are stored in memory, if it is unknown which memref was stored.
- Streams that are pointers (`<%stream : !llvm.ptr>`) and are neither arguments nor created by
  mgpuStreamCreate here.
- Cases that GA301 does not report.
- The end of a memref.alloca at the end of a loop iteration, which after lowering is the end of the function.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
%x = memref.load %dst[%n] : memref<4xf32>
gpu.wait [%t1]
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t1]
%x = memref.load %dst[%n] : memref<4xf32>
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Kind, Race
from gpuasync_lsp.analysis.model.memory.scopes import ends_scope
from gpuasync_lsp.analysis.repairs.waiting import reason, sentence_of, wait_by_event
from gpuasync_lsp.analysis.repairs.waiting_earlier import wait_earlier
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, left_by_callee, op_span, overlap
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find host accesses to memory that pending device work accesses."""
    if not function.analyzed:
        return
    reported: set[tuple[Operation, str]] = set()
    for race in function.races:
        first, second = race.first, race.second
        beside = first.task or (second.host and not first.host)
        on_device = not (first.by_host or second.by_host)
        if not beside or on_device or first.mode is Mode.FREE or second.is_device_free:
            continue
        if (left := left_by_callee(first)) is not None:
            if (second.op, left) in reported:
                continue  # This is a single fault, in the callee, even if several buffers show it.
            reported.add((second.op, left))
        name = function.span_name(second.buffer.value)
        fixes = tuple(wait_earlier(function, race)) or tuple(wait_by_event(function, race))
        why = "" if fixes else reason(function, race) or "there is no place to insert a wait"
        what = (
            f"The lifetime of {name} ends here"
            if ends_scope(second.op)
            else f"{_who(race)} {_does(second.mode)} {name}"
        )
        yield Draft(
            op_span(function, second.op),
            overlap(function, race, what, _advice(function, race)) + sentence_of(why),
            at_op(function, first.op, f"the {'task' if first.task else 'device work'} that may be running"),
            fixes,
        )


def _who(race: Race) -> str:
    return "The host" if race.second.by_host else f"This {race.second.op.name}"


def _does(mode: Mode) -> str:
    return mode.value if mode is not Mode.FREE else "frees"


def _advice(function: AsyncFunction, race: Race) -> str:
    """Describe what the host must wait for, including the token's name if it has one."""
    first = race.first
    if first.task:
        return "First await the enclosing async.execute."
    info = function.by_op.get(first.op)
    if info is None or info.token is None:
        return f"Wait for the stream of that {first.op.name} first."
    same = info.handle is not None and info.handle.kind is Kind.STREAM and not race.path
    token = function.span_name(info.token)
    # A wait on a later token of the same stream works as well.
    return f"Wait for {token} first." if same else f"Wait for {token}, or a later token of its stream, first."


RULE = Rule("GA302", "host-race", Severity.WARNING, check)
