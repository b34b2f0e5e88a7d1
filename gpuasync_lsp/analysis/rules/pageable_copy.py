"""An async copy from or to host memory that is not page-locked.

## What happens
The driver stages cuMemcpyAsync of pageable host memory: the call may return only when the copy is complete,
and the copy does not overlap with kernels. Memory that was registered with `gpu.host_register` is page-locked
and copied asynchronously.

## What it does not report
- Memory from outside the function: arguments, globals, results of callees.
- Memory that is registered anywhere in the function, even after the copy.

## Example
```mlir
%host = memref.alloc() : memref<4xf32>
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %host : memref<4xf32>, memref<4xf32>
gpu.wait [%t1]
```
Use instead:
```mlir
%host = memref.alloc() : memref<4xf32>
%pinned = memref.cast %host : memref<4xf32> to memref<*xf32>
gpu.host_register %pinned : memref<*xf32>
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %host : memref<4xf32>, memref<4xf32>
gpu.wait [%t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.repairs.registering import register
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find copies of buffers that the function allocates on the host and does not register."""
    for op in function.ops:
        if op.name != "gpu.memcpy" or not op.lowers:
            continue
        for access in op.accesses:
            owner = access.buffer.op
            if owner is None or not owner.name.startswith("memref.alloc") or access.buffer.registered:
                continue
            name = function.span_name(access.buffer.value)
            yield Draft(
                op_span(function, op.op),
                f"{name} is pageable host memory: the driver copies through a pinned buffer, so the copy "
                "does not overlap with other work.\n"
                "Register the memory first: `gpu.host_register`.",
                at_op(function, owner, "allocated here"),
                tuple(register(function, access.buffer)),
            )
            break


RULE = Rule("GA505", "pageable-copy", Severity.INFORMATION, check)
