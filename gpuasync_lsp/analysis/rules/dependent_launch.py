"""A dependent launch that touches memory before the kernel before it is done.

## What happens
A kernel that is launched with `use_pdl` (programmatic dependent launch) starts when the kernel before it on
the stream lets it, by `griddepcontrol.launch_dependents`, or when its blocks have ended. Only
`griddepcontrol.wait` waits until that kernel is done and its writes are visible. What comes before the wait
runs at the same time: it may read old values, or overwrite what is still read.
The wait is for one kernel. If that one was a dependent launch as well and has not waited, those before it may
still run.

## Where it is silent
- Kernels whose bodies are not in the file, and what comes after a call of a function that is not.
- The first launch on a stream that the caller gives: what the caller has launched there is not in sight.
- Elements that are told apart, as in GA301, and memory that both kernels only read.

## Example
```mlir
gpu.func @next(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
  %t = gpu.thread_id x
  %v = memref.load %a[%t] : memref<64xf32>
  nvvm.griddepcontrol wait
  memref.store %v, %b[%t] : memref<64xf32>
  gpu.return
}
```
Use instead:
```mlir
gpu.func @next(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
  %t = gpu.thread_id x
  nvvm.griddepcontrol wait
  %v = memref.load %a[%t] : memref<64xf32>
  memref.store %v, %b[%t] : memref<64xf32>
  gpu.return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Dependent
from gpuasync_lsp.analysis.model.symbols import kernel_symbol
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find what dependent launches touch too early."""
    if not function.analysed:
        return
    for race in function.races:
        first, second = race.first, race.second
        if second.dependent is None:
            continue
        where = f" {race.path}" if race.path else ""
        name = function.span_name(second.buffer.value)
        kernel, other = _kernel(second.op), _kernel(first.op)
        if second.dependent is Dependent.LATE:
            advice = f"The kernel between them is a dependent launch that does not wait for {other}: let it."
            before = f"{kernel} waits for the kernel before it only, and "
        else:
            waits = function.by_op[second.op].waits_for_last
            moved = (
                "Move `griddepcontrol.wait` before it" if waits else "Put a `griddepcontrol.wait` before it"
            )
            advice = f"{moved}, or launch it without `use_pdl`."
            before = (
                f"{kernel} starts early, and before it waits it " if waits else f"{kernel} starts early and "
            )
        yield Draft(
            op_span(function, second.op),
            f"{before}{second.mode.value} {name}, which {other} {first.mode.value} at the same "
            f"time{where}.\n{advice}",
            at_op(function, first.op, "the other launch"),
        )


def _kernel(launch: Operation) -> str:
    symbol = kernel_symbol(launch)
    return symbol_text(symbol[1]) if symbol is not None else "the kernel"


RULE = Rule("GA309", "dependent-launch-race", Severity.WARNING, check)
