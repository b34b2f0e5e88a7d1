"""A sync launch, which makes and destroys a stream each time.

## What happens
A gpu.launch_func without `async` and without explicit stream becomes stream create, launch, synchronize and
destroy. In a loop, or for many small kernels, one stream for all of them is cheaper.

## Example
```mlir
gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find sync launches without a stream."""
    for op in function.launches:
        if isinstance(op.op, LaunchFuncOp) and op.lowers and op.token is None and op.op.async_object is None:
            yield Draft(
                op_span(function, op.op),
                "This launch creates a stream, synchronizes and destroys it, each time.\n"
                "`async` on a stream of yours, with one gpu.wait at the end, does it once.",
            )


RULE = Rule("GA506", "sync-launch-stream", Severity.HINT, check)
