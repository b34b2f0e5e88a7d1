"""A launch in a module that is not marked as a container of kernels.

## What happens
gpu.launch_func asks that the closest module around it has the attribute `gpu.container_module`; mlir-opt's
verifier stops without it.

## Where it is silent
- The part of a module that a dump of one function shows: the attribute may be in the rest.
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
    """Find launches in a module without the attribute."""
    if function.context.container_module:
        return
    for info in function.launches:
        if info.name == "gpu.launch_func":
            yield Draft(
                op_span(function, info.op),
                "'gpu.launch_func' op expected the closest surrounding module to have the "
                "'gpu.container_module' attribute\n"
                "mlir-opt stops here before any pass: write `module attributes {gpu.container_module} {`.",
                fixes=tuple(_fixes(function)),
            )


def _fixes(function: AsyncFunction) -> Iterator[Fix]:
    edits = mark_module(function.context)
    if edits:
        wraps = len(edits) > 1
        title = "Put all into a module with" if wraps else "Mark the module with"
        yield Fix(f"{title} `gpu.container_module`", Safety.SAFE, edits)


RULE = Rule("GA005", "missing-container-module", Severity.ERROR, check, stops=True)
