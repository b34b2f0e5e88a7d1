"""A gpu.launch that reaches gpu-to-llvm without being outlined.

## What happens
gpu-to-llvm lowers only gpu.launch_func. `gpu-kernel-outlining` converts a gpu.launch to a gpu.launch_func.
Without this pass, LLVM 16 and 17 fail, and later releases silently leave the op in place. Since LLVM 21, a
gpu.launch with an empty body is erased.

A gpu.launch_func in the body of a gpu.launch, or in a function that it calls, would become part of the
kernel. If it is in the body, gpu-kernel-outlining of LLVM 16 and 19 to 21 leaves a reference to a module that
does not exist, LLVM 17, 18 and 22 crash, and LLVM 23 reports an error.

## What it does not report
- Files with a configured `pipeline` that contains gpu-kernel-outlining.
- Launches in functions that are called only indirectly, through another function.
- A gpu.launch that the release erases before it converts anything.

## Example
```mlir
gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
           threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
  memref.store %value, %dst[%tx] : memref<4xf32>
  gpu.terminator
}
```
Use instead: run `--gpu-kernel-outlining` before `--gpu-to-llvm`, or write a gpu.func and launch that. The fix
has the same effect as the pass, and preserves names and comments in the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.repairs.outlining import outline_launch
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import fate, op_span, rejected
from gpuasync_lsp.syntax.crashes import OUTLINING, known_crash, rejected_launch
from gpuasync_lsp.syntax.dialects.gpu import LaunchOp
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find gpu.launch ops that no configured pass outlines, and launches in the bodies of gpu.launch ops."""
    for launch in function.ops:
        if launch.name == "gpu.launch":
            yield from _launches_in(function, launch.op)
    if any("gpu-kernel-outlining" in step for step in function.context.pipeline or ()):
        return
    for op, _ in rejected(function, "GA108"):
        if any(inner.name == "gpu.launch_func" for inner in op.op.walk()):
            continue  # The op is reported because of the inner launch.
        yield Draft(
            op_span(function, op.op),
            f"{fate(op.name, function.profile)}: only gpu.launch_func lowers.\n"
            "Run gpu-kernel-outlining before gpu-to-llvm, or put the body into a gpu.func and launch that.",
            fixes=tuple(_fixes(function, op.op)),
        )


def _launches_in(function: AsyncFunction, launch: Operation) -> Iterator[Draft]:
    """Find launches in the body of a gpu.launch, which becomes a kernel."""
    version = function.profile.version
    for op in launch.walk():
        if op.name != "gpu.launch_func" or op not in function.spans.ops:
            continue
        crash = known_crash(launch, OUTLINING, (), version)
        rejected = rejected_launch(launch, OUTLINING, version)
        effect = "silently leaves a reference to a kernel that does not exist"
        if crash is not None:
            effect = f"crashes ({crash[1].signal})"
        elif rejected is not None:
            effect = f"fails: {rejected[1]}"
        yield Draft(
            op_span(function, op),
            f"A kernel cannot launch a kernel: {OUTLINING} of {function.profile.label} {effect}.\n"
            "Move this gpu.launch_func out of the gpu.launch.",
            severity=Severity.ERROR,
        )
    for op in launch.walk():
        callee = callee_of(op)
        info = function.context.functions.get(callee) if callee is not None else None
        if info is not None and info.launches and op in function.spans.ops:
            yield Draft(
                op_span(function, op),
                f"A kernel cannot launch a kernel: @{info.name}, which is called here, launches one.\n"
                "Launch it on the host, or call a function without launches.",
                severity=Severity.ERROR,
            )


def _fixes(function: AsyncFunction, launch: Operation) -> Iterator[Fix]:
    edits = outline_launch(function, launch) if isinstance(launch, LaunchOp) else None
    if edits is not None:
        reason = "the body moves into a gpu.module of its own"
        yield Fix("Outline the kernel", Safety.UNSAFE, edits, reason)


RULE = Rule("GA108", "launch-not-outlined", Severity.WARNING, check)
