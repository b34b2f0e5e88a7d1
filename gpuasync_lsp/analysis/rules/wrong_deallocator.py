"""Memory that is freed by the wrong deallocator.

## What happens
gpu.alloc becomes cuMemAlloc (with `host_shared`, cuMemAllocManaged), and gpu.dealloc becomes cuMemFree;
memref.alloc becomes malloc, and memref.dealloc becomes free. `free` of an address that malloc did not return
aborts the program or corrupts its heap; cuMemFree of host memory fails with CUDA_ERROR_INVALID_VALUE and
leaks the memory. Stack memory (memref.alloca) and globals (memref.global) are never freed.

## What it does not report
- Memory whose allocation is unknown: an argument, the result of a call.
- A memref with a memory space: passes may map its allocation to a different function.
- Memory that depends on control flow, unless every alternative is freed wrongly.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
gpu.wait [%t1]
memref.dealloc %p : memref<4xf32>
```
Use instead:
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32>
gpu.wait [%t2]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType, NoneAttr

from gpuasync_lsp.analysis.model.function import Access, AsyncFunction
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.memory.scopes import ends_scope
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.syntax.effects import Mode
from gpuasync_lsp.text import Severity

_ON_HOST = {
    "memref.alloc": "host memory allocated by memref.alloc",
    "memref.alloca": "stack memory allocated by memref.alloca",
    "memref.get_global": "a global",
}
"""Maps ops whose result is host memory to a description of the memory."""
_NEVER_FREED = frozenset({"memref.alloca", "memref.get_global"})


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find memory that is freed by the wrong deallocator."""
    if not function.analyzed:
        return
    frees = (
        access
        for node in function.nodes
        if node in function.reached
        for step in node.steps
        for access in step.accesses
        if access.mode is Mode.FREE and not ends_scope(access.op)
    )
    for access in sorted(frees, key=lambda access: function.order[access.op]):
        buffers = access.buffer.all
        if access.sure and buffers and all(_is_wrong(access, buffer) for buffer in buffers):
            yield _draft(function, access, buffers[0])


def _is_wrong(access: Access, buffer: Buffer) -> bool:
    op = buffer.op
    if op is None or not _is_in_default_space(buffer):
        return False
    if op.name == "gpu.alloc":
        return not access.is_device_free
    return op.name in _NEVER_FREED or (op.name == "memref.alloc" and access.is_device_free)


def _is_in_default_space(buffer: Buffer) -> bool:
    kind = buffer.value.type
    return isinstance(kind, MemRefType) and isinstance(kind.memory_space, NoneAttr)


def _draft(function: AsyncFunction, access: Access, buffer: Buffer) -> Draft:
    op, name = buffer.op, function.span_name(access.value)
    assert op is not None
    callee = callee_of(access.op)
    by = f"@{callee}" if callee is not None else f"This {access.op.name}"
    if op.name == "gpu.alloc":
        shared = " host_shared" if buffer.host_shared else ""
        what, happens = (
            f"device memory allocated by gpu.alloc{shared}",
            "`free` gets an address that malloc did not return",
        )
        advice = "Free it with gpu.dealloc only."
    elif op.name == "memref.alloc":
        what, happens = _ON_HOST[op.name], "cuMemFree fails with CUDA_ERROR_INVALID_VALUE"
        advice = "Free it with memref.dealloc, after the device work on it."
    else:
        what = _ON_HOST[op.name]
        happens = (
            "cuMemFree fails with CUDA_ERROR_INVALID_VALUE"
            if access.is_device_free
            else "`free` gets an address that malloc did not return"
        )
        advice = "Remove the dealloc: this memory is never freed."
    return Draft(
        op_span(function, access.op),
        f"{by} frees {name}, which is {what}: {happens}.\n{advice}",
        at_op(function, op, "allocated here"),
    )


RULE = Rule("GA307", "wrong-deallocator", Severity.ERROR, check)
