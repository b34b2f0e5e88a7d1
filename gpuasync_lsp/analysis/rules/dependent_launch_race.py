"""A dependent launch that accesses memory before the previous kernel is complete.

## What happens
A kernel that is launched with `use_pdl` (programmatic dependent launch) starts when the previous kernel on
the stream executes `griddepcontrol.launch_dependents`, or when its blocks have exited. Only
`griddepcontrol.wait` waits until that kernel is complete and its writes are visible. Code before the wait
runs concurrently with that kernel: it may read old values, or overwrite values that are still needed.

The wait covers only the previous kernel. If that kernel is a dependent launch that has not waited itself,
earlier kernels may still be running.

## What it does not report
- Kernels whose bodies are not in the file, and code after a call of a function that is not in the file.
- The first launch on a stream of the caller, whose earlier launches are unknown.
- Elements that are known to differ, as in GA301, and memory that both kernels only read.

## Example
```mlir
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
    gpu.func @fill(%a: memref<64xf32>, %value: f32) kernel {
      %t = gpu.thread_id x
      nvvm.griddepcontrol launch_dependents
      memref.store %value, %a[%t] : memref<64xf32>
      gpu.return
    }
    gpu.func @next(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %a[%t] : memref<64xf32>
      nvvm.griddepcontrol wait
      memref.store %v, %b[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<64xf32>, %b: memref<64xf32>, %value: f32, %stream: !gpu.async.token) {
    %one = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %filled = gpu.launch_func async [%stream] @kernels::@fill blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) args(%a : memref<64xf32>, %value : f32)
    %done = gpu.launch_func async [%filled] @kernels::@next blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>) {use_pdl = true}
    return
  }
}
```
Use instead:
```mlir
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
    gpu.func @fill(%a: memref<64xf32>, %value: f32) kernel {
      %t = gpu.thread_id x
      nvvm.griddepcontrol launch_dependents
      memref.store %value, %a[%t] : memref<64xf32>
      gpu.return
    }
    gpu.func @next(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      nvvm.griddepcontrol wait
      %v = memref.load %a[%t] : memref<64xf32>
      memref.store %v, %b[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<64xf32>, %b: memref<64xf32>, %value: f32, %stream: !gpu.async.token) {
    %one = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %filled = gpu.launch_func async [%stream] @kernels::@fill blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) args(%a : memref<64xf32>, %value : f32)
    %done = gpu.launch_func async [%filled] @kernels::@next blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) args(%a : memref<64xf32>, %b : memref<64xf32>) {use_pdl = true}
    return
  }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Dependent
from gpuasync_lsp.analysis.model.symbols import callee_of, kernel_symbol
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find accesses that a dependent launch makes before the previous kernel is done."""
    if not function.analyzed:
        return
    for race in function.races:
        first, second = race.first, race.second
        if second.dependent is None:
            continue
        where = f" {race.path}" if race.path else ""
        name = function.span_name(second.buffer.value)
        kernel, other = _kernel(second.op), _kernel(first.op)
        if second.dependent is Dependent.LATE:
            advice = (
                f"The kernel between them is a dependent launch that does not wait for {other}: add a wait "
                "to it."
            )
            before = f"{kernel} waits only for the previous kernel and "
        else:
            waits = function.by_op[second.op].waits_for_last
            moved = (
                "Move `griddepcontrol.wait` before it" if waits else "Put a `griddepcontrol.wait` before it"
            )
            advice = f"{moved}, or launch it without `use_pdl`."
            before = (
                f"{kernel} starts early and, before its wait, " if waits else f"{kernel} starts early and "
            )
        yield Draft(
            op_span(function, second.op),
            f"{before}{second.mode.value} {name}, which {other} {first.mode.value} at the same "
            f"time{where}.\n{advice}",
            at_op(function, first.op, "the other launch"),
        )


def _kernel(launch: Operation) -> str:
    symbol = kernel_symbol(launch)
    name = symbol[1] if symbol is not None else callee_of(launch)
    return symbol_text(name) if name is not None else "the kernel"


RULE = Rule("GA309", "dependent-launch-race", Severity.WARNING, check)
