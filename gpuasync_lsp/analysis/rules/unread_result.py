"""Device memory that a kernel writes and no op reads.

## What happens
The buffer is freed together with the kernel's results: they are not copied to the host, and no other op reads
them. Most often the gpu.memcpy to the host is missing, or copies a different buffer.

## What it does not report
- A buffer that is returned, passed to a function, or forwarded by control flow.
- A buffer that the kernel also reads, since it may be scratch memory.
- A buffer that only gpu.memset and gpu.memcpy write.

## Example
```mlir
func.func @main() {
  %one = arith.constant 1 : index
  %t0 = gpu.wait async
  %p, %t1 = gpu.alloc async [%t0] () : memref<4xindex>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    memref.store %tx, %p[%tx] : memref<4xindex>
    gpu.terminator
  }
  %t3 = gpu.dealloc async [%t2] %p : memref<4xindex>
  gpu.wait [%t3]
  return
}
```
Use instead:
```mlir
func.func @main(%host: memref<4xindex>) {
  %one = arith.constant 1 : index
  %t0 = gpu.wait async
  %p, %t1 = gpu.alloc async [%t0] () : memref<4xindex>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    memref.store %tx, %p[%tx] : memref<4xindex>
    gpu.terminator
  }
  %copied = gpu.memcpy async [%t2] %host, %p : memref<4xindex>, memref<4xindex>
  %t3 = gpu.dealloc async [%copied] %p : memref<4xindex>
  gpu.wait [%t3]
  return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.uses import uses_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, defined_at, op_span
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find device memory that kernels write and that no op reads."""
    if not function.analyzed:
        return
    for info in function.ops:
        if info.name != "gpu.alloc" or "hostShared" in info.op.properties or not info.op.results:
            continue
        buffer = info.op.results[0]
        uses = uses_of(buffer, function.context)
        if uses is None or uses.returned is not None or any(u.mode is not Mode.WRITE for u in uses.touching):
            continue
        kernels = [launch for use in uses.touching if (launch := _launch(use.op)) is not None]
        if not kernels:
            continue
        name = function.span_name(buffer)
        last = max(kernels, key=lambda op: function.order.get(op, 0))
        yield Draft(
            op_span(function, last),
            f"This kernel writes {name}, and nothing reads it: its results are lost.\n"
            "Copy it to the host with gpu.memcpy, or leave out the launch.",
            defined_at(function, buffer, "allocated here") or at_op(function, info.op, "allocated here"),
        )


def _launch(op: Operation) -> Operation | None:
    """Return the launch that `op` is or that contains it; None if there is none."""
    around: Operation | None = op
    while around is not None and around.name not in ("gpu.launch", "gpu.launch_func"):
        around = around.parent_op()
    return around


RULE = Rule("GA511", "unread-result", Severity.INFORMATION, check)
