"""A host access to device memory.

## What happens
gpu.alloc becomes cuMemAlloc or hipMalloc: a host load, store or copy at such an address ends the program with
a segmentation fault. gpu.memcpy can copy such memory, and the host can access the memory of a gpu.alloc
`host_shared` (cuMemAllocManaged).

## What it does not report
- Memory from outside the function: arguments, results of callees.
- Values that may refer to other memory on some path.

## Example
```mlir
%device = gpu.alloc () : memref<4xf32>
memref.copy %input, %device : memref<4xf32> to memref<4xf32>
```
Use instead:
```mlir
%device = gpu.alloc () : memref<4xf32>
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %device, %input : memref<4xf32>, memref<4xf32>
gpu.wait [%t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Buffer
from gpuasync_lsp.analysis.model.terms import Side
from gpuasync_lsp.analysis.reach import doer, out_of_reach, places
from gpuasync_lsp.analysis.repairs.dependencies import stream_before
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.preconditions import has_identity_layout
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find the host's first access to each buffer from gpu.alloc, and mention some of the later accesses."""
    for buffer, accesses in out_of_reach(function, Side.HOST, _is_of_the_device):
        first, name = accesses[0], function.span_name(buffer.value)
        yield Draft(
            op_span(function, first.op),
            f"{doer(first.op)} {first.mode.value} {name}, which is device memory: "
            "with CUDA and HIP the program ends with a segmentation fault.\n"
            "Copy with gpu.memcpy, or allocate it `host_shared`.",
            places(function, buffer, accesses),
            tuple(_fixes(function, first.op)),
        )


def _is_of_the_device(buffer: Buffer) -> bool:
    return buffer.op is not None and buffer.op.name == "gpu.alloc" and not buffer.host_shared


def _fixes(function: AsyncFunction, op: Operation) -> Iterator[Fix]:
    """Yield the fix that replaces a host copy with gpu.memcpy."""
    if op.name != "memref.copy" or op not in function.spans.ops:
        return
    source, target = op.operands
    if not (has_identity_layout(source.type) and has_identity_layout(target.type)):
        return
    editor = Editor(function)
    stream, copied = stream_before(editor, op), editor.fresh("copied")
    kinds = ", ".join(attribute_text(value.type) for value in (target, source))
    names = ", ".join(function.span_name(value) for value in (target, source))
    editor.before(op, f"{copied} = gpu.memcpy async [{stream}] {names} : {kinds}")
    editor.edits.append(Edit(function.spans.op(op), f"gpu.wait [{copied}]"))
    yield Fix("Copy with gpu.memcpy", Safety.SAFE, editor.done())


RULE = Rule("GA306", "inaccessible-memory", Severity.WARNING, check)
