"""A gpu.memcpy into a memref whose offset or strides are ignored.

## What happens
gpu-to-llvm checks only the layout of the source. It copies the source's number of bytes, contiguously, to the
destination's aligned pointer, and ignores the destination's offset and strides. A copy into a subview writes
to the wrong addresses, silently and in every release.

## What it does not report
- A layout that the type does not show: a memref that is cast to a type without an offset is assumed to have
  none.
- A copy that does not lower: GA107 and GA110 report it.

## Example
```mlir
%view = memref.subview %dst[1] [3] [1] : memref<4xf32> to memref<3xf32, strided<[1], offset: 1>>
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %view, %part : memref<3xf32, strided<[1], offset: 1>>, memref<3xf32>
gpu.wait [%t1]
```
Use instead: a copy into a contiguous buffer, or a kernel that writes the view.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, operand_span
from gpuasync_lsp.preconditions import is_layout_ignored
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find copies that lower although their destination is not contiguous from the start of its buffer."""
    ignored: dict[int, bool] = {}
    """Maps the identity of a type (hashing a type is slow) to whether its layout is ignored."""
    for op in function.ops:
        if op.name != "gpu.memcpy":
            continue
        if op.rejections and any(r.code in ("GA107", "GA110") for r in op.rejections):
            continue
        number = len(op.deps)
        value = op.op.operands[number]
        known = ignored.get(id(value.type))
        if known is None:
            known = ignored[id(value.type)] = is_layout_ignored(value.type)
        if not known:
            continue
        yield Draft(
            operand_span(function, op.op, number),
            f"The offset and strides of {function.span_name(value)} are ignored: the copy fills "
            "the buffer contiguously from its first byte.\nCopy into a contiguous buffer, or write the "
            "view with a kernel. No automatic fix: both need new code.",
            defined_at(function, value, f"{function.span_name(value)} gets its layout here"),
        )


RULE = Rule("GA208", "ignored-destination-layout", Severity.ERROR, check)
