"""A launch in a module without the attribute `gpu.container_module`.

## What happens
gpu.launch_func requires the attribute `gpu.container_module` on the closest enclosing module; otherwise
mlir-opt's verifier reports an error.

## What it does not report
- A dump of a single function: the rest of the module may have the attribute.
- A launch in a line that does not parse.

## Example
```mlir
module {
  func.func @main(%n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
```
Use instead: `module attributes {gpu.container_module} {`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.repairs.edits import mark_module
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches in a module without `gpu.container_module`."""
    if function.context.container_module:
        return
    for info in function.launches:
        if info.name == "gpu.launch_func":
            yield Draft(
                op_span(function, info.op),
                "'gpu.launch_func' op expected the closest surrounding module to have the "
                "'gpu.container_module' attribute\nmlir-opt rejects this before any pass runs: write "
                "`module attributes {gpu.container_module} {`.",
                fixes=tuple(_fixes(function)),
            )


def _fixes(function: AsyncFunction) -> Iterator[Fix]:
    edits = mark_module(function.context)
    if edits:
        wraps = len(edits) > 1
        title = "Wrap everything in a module with" if wraps else "Mark the module with"
        yield Fix(f"{title} `gpu.container_module`", Safety.SAFE, edits)


RULE = Rule("GA005", "missing-container-module", Severity.ERROR, check, stops=True)
