"""A gpu.memset of a value whose width the runtime does not support.

## What happens
The runtime has mgpuMemset32, and since LLVM 18 also mgpuMemset16. A memset of any other width (i1, i8, f8,
i64, f64, index) is left unlowered, silently since LLVM 18. A value of type complex<f32> crashes LLVM 22.

## What it does not report
- A value of an unknown type.
- An unused gpu.memset that the release erases before it converts anything.

## Example
```mlir
%t1 = gpu.memset async [%t0] %bytes, %byte : memref<4xi8>, i8
```
Use instead: a kernel that fills the buffer, or a memref of i32 or f32.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ComplexType

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import fate, operand_span, rejected
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find memsets that are rejected because of the type of their value."""
    profile = function.profile
    widths = "- or ".join(str(bits) for bits in sorted(profile.memset_widths))
    for op, rejection in rejected(function, "GA106"):
        kind = op.op.operands[rejection.operand or 0].type
        if isinstance(kind, ComplexType) and profile.memset_complex_crashes:
            message = f"{profile.label}'s gpu-to-llvm crashes on a gpu.memset of {kind}."
        else:
            message = f"{fate(op.name, profile)}: the runtime has no call for a value of type {kind}."
        yield Draft(
            operand_span(function, op.op, rejection.operand),
            f"{message}\nOnly {widths}-bit values lower; fill the buffer with a kernel, or change its type.",
        )


def versions(profile: Profile) -> str:
    """Describe the widths of values that lower."""
    return "- and ".join(str(bits) for bits in sorted(profile.memset_widths)) + "-bit values lower"


RULE = Rule("GA106", "memset-width", Severity.ERROR, check, versions=versions)
