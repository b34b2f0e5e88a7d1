"""A trigger that starts no dependent launch, or a dependent launch that never waits for the caller's work.

## What happens
`griddepcontrol.launch_dependents` lets only the next launch on the stream start early, and only if that
launch has `use_pdl`. Otherwise, or if other work comes next, the trigger has no effect.

A kernel that is launched with `use_pdl` as the first work on the caller's stream may start while the caller's
last kernel is still running. If it never executes `griddepcontrol.wait`, it may read memory that this kernel
has not written yet.

## What it does not report
- Triggers of kernels that are launched from several functions, or that are the last work on a stream of the
  caller, which may launch a dependent kernel.
- Dependent launches after a kernel in the same function: GA309 compares the accesses of the two.
- Kernels whose bodies are not in the file.

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
  }
  func.func @main(%a: memref<64xf32>, %value: f32, %stream: !gpu.async.token) {
    %one = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %filled = gpu.launch_func async [%stream] @kernels::@fill blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) args(%a : memref<64xf32>, %value : f32) {use_pdl = true}
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
      nvvm.griddepcontrol wait
      nvvm.griddepcontrol launch_dependents
      memref.store %value, %a[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%a: memref<64xf32>, %value: f32, %stream: !gpu.async.token) {
    %one = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %filled = gpu.launch_func async [%stream] @kernels::@fill blocks in (%one, %one, %one)
        threads in (%threads, %one, %one) args(%a : memref<64xf32>, %value : f32) {use_pdl = true}
    return
  }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.dependents import Does, is_dependent
from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Kind
from gpuasync_lsp.analysis.model.symbols import kernel_symbol
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, op_span
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find triggers without a dependent launch, and dependent launches on a caller's stream that never
    wait."""
    if not function.analyzed:
        return
    yield from _unused_triggers(function)
    yield from _missing_waits(function)


def _unused_triggers(function: AsyncFunction) -> Iterator[Draft]:
    launches: dict[tuple[str, str], list[AsyncOp]] = {}
    for info in function.launches:
        symbol = kernel_symbol(info.op)
        if symbol is not None and Does.TRIGGER in _does(function, symbol):
            launches.setdefault(symbol, []).append(info)
    for symbol, infos in launches.items():
        here = sum((kernel_symbol(info.op) or ("",))[0] == symbol[0] for info in function.launches)
        if here == function.context.launches.get(symbol[0]) and all(
            _is_last_or_followed_by_other(function, info) for info in infos
        ):
            yield Draft(
                op_span(function, infos[0].op),
                f"{symbol_text(symbol[1])} lets a dependent launch start early, but none directly follows it "
                "on its stream: the trigger has no effect.\n"
                "Launch the next kernel with `use_pdl = true`, or remove `griddepcontrol.launch_dependents`.",
            )


def _is_last_or_followed_by_other(function: AsyncFunction, info: AsyncOp) -> bool:
    """Return whether the next work on the launch's stream is certain not to be a dependent launch."""
    handle = info.handle
    if handle is None or handle.kind not in (Kind.STREAM, Kind.OPAQUE):
        return False
    later = sorted((each for each in handle.enqueues if each.order > info.order), key=lambda e: e.order)
    is_passed_on = bool(handle.lent or handle.passed)
    if later and later[0].op.parent is info.op.parent:
        return not is_passed_on and not is_dependent(later[0].op)
    has_dependents = any(is_dependent(each.op) for each in function.launches)
    return handle.kind is Kind.STREAM and not handle.goes_on and not has_dependents


def _missing_waits(function: AsyncFunction) -> Iterator[Draft]:
    for info in function.launches:
        symbol, handle = kernel_symbol(info.op), info.handle
        if symbol is None or handle is None or not info.is_dependent or not info.early:
            continue
        if _does(function, symbol) - {Does.TRIGGER} or not _is_first(handle, info):
            continue
        name = function.span_name(handle.value)
        yield Draft(
            op_span(function, info.op),
            f"{symbol_text(symbol[1])} starts early and never waits: the last kernel that the caller "
            f"launched on {name} may still write what it reads.\n"
            "Put a `griddepcontrol.wait` before its first access, or launch it without `use_pdl`.",
            defined_at(function, handle.value, "the caller's stream"),
        )


def _does(function: AsyncFunction, symbol: tuple[str, str]) -> frozenset[Does]:
    kernel = function.context.kernels.get(symbol)
    return kernel.dependents if kernel is not None else frozenset()


def _is_first(handle: Handle, info: AsyncOp) -> bool:
    """Return whether `info` is the first work in this function on a caller's stream."""
    return handle.is_given and not handle.lent and min(handle.enqueues, key=lambda e: e.order) is info


RULE = Rule("GA310", "half-dependent-launch", Severity.INFORMATION, check)
