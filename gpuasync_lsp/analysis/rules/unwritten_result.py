"""Host memory that is read or returned, but never written.

## What happens
The values are the previous contents of the memory, often zeros. Most often the gpu.memcpy from the device is
missing, or has its operands the wrong way round: the destination comes first.

## What it does not report
- A buffer that is passed to a function or forwarded by control flow, and functions without gpu ops.
- A returned buffer, except in `main`: callers may fill it.

## Example
```mlir
func.func private @printMemrefF32(memref<*xf32>)
func.func @main(%device: memref<4xf32>) {
  %host = memref.alloc() : memref<4xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %device, %host : memref<4xf32>, memref<4xf32>
  gpu.wait [%t1]
  %any = memref.cast %host : memref<4xf32> to memref<*xf32>
  func.call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  return
}
```
Use instead:
```mlir
func.func private @printMemrefF32(memref<*xf32>)
func.func @main(%device: memref<4xf32>) {
  %host = memref.alloc() : memref<4xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %host, %device : memref<4xf32>, memref<4xf32>
  gpu.wait [%t1]
  %any = memref.cast %host : memref<4xf32> to memref<*xf32>
  func.call @printMemrefF32(%any) : (memref<*xf32>) -> ()
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
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Severity

_ALLOCATIONS = ("memref.alloc", "memref.alloca")


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find host memory that is read, or returned by main, but never written."""
    if not function.analyzed or not function.ops:
        return
    for op in function.op.walk():
        if op.name not in _ALLOCATIONS or _is_in_kernel(op.parent_op()):
            continue
        uses = uses_of(op.results[0], function.context)
        if uses is None or any(use.mode is not Mode.READ for use in uses.touching):
            continue
        reader = min((use.op for use in uses.touching), key=lambda o: function.order.get(o, 0), default=None)
        if reader is None and function.ops and function.name == "main":
            reader = uses.returned
        if reader is None:
            continue
        does = "returns" if reader.name == "func.return" else "reads"
        yield Draft(
            op_span(function, reader),
            f"This {reader.name} {does} {function.span_name(op.results[0])}, which nothing writes.\n"
            "Copy the result into it first: gpu.memcpy takes the destination before the source.",
            at_op(function, op, "allocated here"),
        )


def _is_in_kernel(op: Operation | None) -> bool:
    while op is not None and op.name != "gpu.launch":
        op = op.parent_op()
    return op is not None


RULE = Rule("GA510", "unwritten-result", Severity.INFORMATION, check)
