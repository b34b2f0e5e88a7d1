"""A kernel that accesses unregistered host memory.

## What happens
memref.alloc becomes malloc. A kernel that accesses such memory without gpu.host_register (cuMemHostRegister)
fails with CUDA_ERROR_ILLEGAL_ADDRESS, unless the GPU shares page tables with the host (Linux with HMM, Grace
Hopper), which cannot be seen from the program.

## What it does not report
- Memory from outside the function: arguments, globals, and results of callees, unless the callee is in the
  file, allocates the memory and only fills and returns it.
- Memory that is registered anywhere in the function, or passed to a callee without a body, which may register
  it.
- Files that target SPIR-V: the Vulkan runners copy host memory themselves.

## Example
```mlir
%host = memref.alloc() : memref<4xf32>
gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %g = %n)
           threads(%x, %y, %z) in (%o = %n, %p = %n, %q = %n) {
  memref.store %value, %host[%x] : memref<4xf32>
  gpu.terminator
}
```
Use instead:
```mlir
%host = memref.alloc() : memref<4xf32>
%pinned = memref.cast %host : memref<4xf32> to memref<*xf32>
gpu.host_register %pinned : memref<*xf32>
gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %g = %n)
           threads(%x, %y, %z) in (%o = %n, %p = %n, %q = %n) {
  memref.store %value, %host[%x] : memref<4xf32>
  gpu.terminator
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Attribute, OpResult, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, Buffer
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Side
from gpuasync_lsp.analysis.reach import doer, out_of_reach, places
from gpuasync_lsp.analysis.repairs.registering import register
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find the first kernel that accesses each unregistered host allocation."""
    if function.context.for_spirv:
        return
    for buffer, accesses in out_of_reach(function, Side.KERNEL, lambda each: _is_of_the_host(function, each)):
        first, name = accesses[0], function.span_name(buffer.value)
        # If a callee allocates the memory, this function has no op after which to register it.
        can_register = not buffer.is_name and buffer.op is not None and callee_of(buffer.op) is None
        yield Draft(
            op_span(function, first.op),
            f"{doer(first.op)} runs a kernel that {first.mode.value} {name}, host "
            "memory that is not registered: most GPUs cannot access it.\n"
            "Register it with gpu.host_register, or copy it to memory from gpu.alloc.",
            places(function, buffer, accesses),
            tuple(register(function, buffer)) if can_register else (),
        )


def _is_of_the_host(function: AsyncFunction, buffer: Buffer) -> bool:
    kind: Attribute = buffer.value.type
    return (
        buffer.op is not None
        and (buffer.op.name in ("memref.alloc", "memref.alloca") or _is_made_by_call(function, buffer.value))
        and isinstance(kind, MemRefType)
        and isinstance(kind.memory_space, NoneAttr)
        and not buffer.registered
        and not any(callee_of(op) is not None for op in buffer.escapes)
    )


def _is_made_by_call(function: AsyncFunction, value: SSAValue) -> bool:
    """Return whether `value` is host memory that a function of the file allocates and returns."""
    if not isinstance(value, OpResult) or (callee := callee_of(value.op)) is None:
        return False
    info = function.context.functions.get(callee)
    return info is not None and info.effects is not None and value.index in info.made_on_host


RULE = Rule("GA508", "unregistered-memory", Severity.INFORMATION, check)
