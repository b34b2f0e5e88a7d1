"""A launch with sizes or arguments that gpu-to-llvm cannot lower.

## What happens
The verifier accepts launch sizes of type i32, and tensors as kernel arguments, but gpu-to-llvm converts
neither and fails with `failed to legalize operation 'gpu.launch_func'`.

## What it does not report
- Arguments of unknown types.
- A launch that the release erases before it converts anything.

## Example
```mlir
gpu.launch_func @kernels::@k blocks in (%i, %i, %i) threads in (%i, %i, %i) : i32
```
Use instead: sizes of type `index` or i64, and a memref instead of a tensor.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import fate, op_span, rejected
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches that are rejected because of their operands."""
    for info, rejection in rejected(function, "GA113"):
        message = f"{fate(info.name, function.profile)}: {rejection.reason}."
        yield Draft(op_span(function, info.op), message)


RULE = Rule("GA113", "launch-operand", Severity.ERROR, check)
