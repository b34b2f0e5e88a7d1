"""A memref that is not contiguous although gpu-to-llvm requires it to be.

## What happens
The source of gpu.memcpy, the destination of gpu.memset and the result of gpu.alloc must have the identity
layout: rank-1 `strided<[1]>` is accepted; rank-2 `strided<[8, 1]>` is not, although it is contiguous; nor is
any layout with an offset. The op is left unlowered, silently since LLVM 18. (A strided *destination* of
gpu.memcpy is accepted but wrong: see GA208.)

## What it does not report
- A layout that the type does not show: a memref that is cast to a type without an offset is assumed to have
  none.
- Unknown types.
- The destination of gpu.memcpy: GA208 reports it.

## Example
```mlir
%view = memref.subview %src[1] [3] [1] : memref<4xf32> to memref<3xf32, strided<[1], offset: 1>>
%t1 = gpu.memcpy async [%t0] %part, %view : memref<3xf32>, memref<3xf32, strided<[1], offset: 1>>
```
Use instead: on the host, `memref.copy` into a contiguous buffer; on the device, a kernel that copies the
elements, or a copy of the whole buffer. Consecutive elements of a byte buffer, viewed as follows, have the
identity layout in every release:
```mlir
%bytes, %t1 = gpu.alloc async [%t0] () : memref<64xi8>
%offset = arith.constant 16 : index
%row = memref.view %bytes[%offset][] : memref<64xi8> to memref<4xf32>
%t2 = gpu.memcpy async [%t1] %part, %row : memref<4xf32>, memref<4xf32>
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, fate, operand_span, rejected
from gpuasync_lsp.preconditions import Unmet
from gpuasync_lsp.syntax.effects import ALIASES, PARTS
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that are rejected because of the layout of an operand."""
    for op, rejection in rejected(function, "GA107"):
        related = ()
        if rejection.operand is not None:
            value = op.op.operands[rejection.operand]
            related = defined_at(function, value, f"{function.span_name(value)} gets its layout here")
        yield Draft(
            operand_span(function, op.op, rejection.operand),
            f"{fate(op.name, function.profile)}: {rejection.reason}.\n{_advice(function, op, rejection)}",
            related,
        )


def _advice(function: AsyncFunction, op: AsyncOp, rejection: Unmet) -> str:
    """Describe how to copy or fill memory whose layout gpu-to-llvm rejects."""
    if rejection.operand is None or op.name == "gpu.alloc":
        return "Allocate a memref with the identity layout, and take a view of it."
    if op.name == "gpu.launch_func":
        return "Pass a memref with a strided layout."
    if op.name == "gpu.memset":
        return "Fill the whole buffer, or fill the part in a kernel."
    value = root = op.op.operands[rejection.operand]
    while isinstance(root.owner, Operation) and root.owner.name in (ALIASES | PARTS):
        root = root.owner.operands[0]
    buffer = next((each for each in function.buffers if each.value is root), None)
    if root is value or buffer is None:
        return "Use a memref with the identity layout, without offset."
    name = function.span_name(root)
    if buffer.device:
        return (
            f"Copy all of {name} and take the part from the copy, or copy the part to a contiguous buffer "
            "in a kernel."
        )
    return f"Copy the part to a contiguous buffer with memref.copy first, or copy all of {name}."


RULE = Rule("GA107", "strided-source", Severity.ERROR, check)
