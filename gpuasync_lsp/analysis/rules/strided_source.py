"""A memref that is not contiguous where gpu-to-llvm requires it.

## What happens
The source of gpu.memcpy, the destination of gpu.memset and the result of gpu.alloc must have the identity
layout: rank-1 `strided<[1]>` is accepted; rank-2 `strided<[8, 1]>` is not, although it is contiguous; nor is
any offset. The op is left unlowered, silently from LLVM 18 on. (A strided *destination* of gpu.memcpy is
accepted but wrong: see GA208.)

## What it does not report
- A layout that the type does not show: a memref that is cast to a type without offset is assumed to have
  none.
- A type that is unknown.
- The destination of gpu.memcpy: GA208 reports it.

## Example
```mlir
%view = memref.subview %src[1] [3] [1] : memref<4xf32> to memref<3xf32, strided<[1], offset: 1>>
%t1 = gpu.memcpy async [%t0] %part, %view : memref<3xf32>, memref<3xf32, strided<[1], offset: 1>>
```
Use instead: a copy into a contiguous buffer first (`memref.copy`, or a kernel), or a copy of the whole
buffer.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, fate, operand_span, rejected
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that are rejected for a layout."""
    for op, rejection in rejected(function, "GA107"):
        related = ()
        if rejection.operand is not None:
            value = op.op.operands[rejection.operand]
            related = defined_at(function, value, f"{function.span_name(value)} gets its layout here")
        yield Draft(
            operand_span(function, op.op, rejection.operand),
            f"{fate(op.name, function.profile)}: {rejection.reason}.\n"
            "Use a memref with the identity layout, without offset: copy to a contiguous buffer first.",
            related,
        )


RULE = Rule("GA107", "strided-source", Severity.ERROR, check)
