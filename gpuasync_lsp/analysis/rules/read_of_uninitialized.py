"""A read of a device buffer that nothing has written.

## What happens
gpu.alloc does not clear memory: the copy or the kernel reads whatever was there.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.memcpy async [%t1] %dst, %p : memref<4xf32>, memref<4xf32>
%t3 = gpu.dealloc async [%t2] %p : memref<4xf32>
gpu.wait [%t3]
```
Use instead:
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%set = gpu.memset async [%t1] %p, %value : memref<4xf32>, f32
%t2 = gpu.memcpy async [%set] %dst, %p : memref<4xf32>, memref<4xf32>
%t3 = gpu.dealloc async [%t2] %p : memref<4xf32>
gpu.wait [%t3]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find reads of buffers of this function that no op before writes on any path."""
    if not function.analysed:
        return
    for access in function.uninitialized:
        buffer = access.buffer
        assert buffer.op is not None
        if any(function.order.get(op, 0) < function.order[access.op] for op in buffer.escapes):
            continue
        yield Draft(
            op_span(function, access.op),
            f"This {access.op.name} reads {function.span_name(buffer.value)}, which nothing has written.\n"
            "Write it first: gpu.memset, gpu.memcpy, or a kernel.",
            at_op(function, buffer.op, "allocated here"),
        )


RULE = Rule("GA305", "read-of-uninitialized", Severity.WARNING, check)
