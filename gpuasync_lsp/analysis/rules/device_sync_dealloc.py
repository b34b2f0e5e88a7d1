"""A dealloc while other streams have work.

## What happens
gpu.dealloc becomes cuMemFree, which is not ordered by streams: it waits for the whole device. The host stops
there until every stream is done, not only the one of the dealloc.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%p, %a = gpu.alloc async [%t0] () : memref<4xf32>
%b = gpu.memcpy async [%t1] %dst, %src : memref<4xf32>, memref<4xf32>
%c = gpu.dealloc async [%a] %p : memref<4xf32>
gpu.wait [%c, %b]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model import AsyncFunction, bits_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find deallocs with pending work on other streams."""
    for op in function.ops:
        if op.name != "gpu.dealloc" or not op.lowers:
            continue
        mask = function.pending.get(op.op, 0)
        buffers = {a.buffer for a in op.accesses}
        pending = (function.accesses[bit] for bit in bits_of(mask))
        other = next((a for a in pending if a.handle is not op.handle and a.buffer not in buffers), None)
        if other is not None:
            yield Draft(
                op_span(function, op.op),
                "This dealloc waits for the whole device, and other streams have work: cuMemFree is not "
                "ordered by streams.\nMove it behind the waits for them.",
                at_op(function, other.op, "work that may still run"),
            )


RULE = Rule("GA504", "device-sync-dealloc", Severity.INFORMATION, check)
