"""A gpu op with async dependencies for which gpu-to-llvm has no pattern.

## What happens
gpu-to-llvm has a pattern for each async op of LLVM's gpu dialect, but none for an op that a modified LLVM
adds to the dialect: LLVM 16 and 17 fail to legalize such an op; later releases silently leave it unlowered.
An unmodified mlir-opt does not parse it.

## What it does not report
- Async ops of other dialects: their own passes lower them.
- gpu.launch without outlining: GA108 reports it.
- MLIR's own async gpu ops, which all have a pattern in each release that has the op.

## Example
```mlir
%t1 = "gpu.prefetch"(%t0, %dst) : (!gpu.async.token, memref<4xf32>) -> !gpu.async.token
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import fate, op_span, rejected
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.opaque import written_name
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find async gpu ops that gpu-to-llvm has no pattern for, and unregistered gpu ops."""
    found = [(info.op, info.name) for info, _ in rejected(function, "GA114")]
    found += [(op, written_name(op)) for op in function.order if _is_unregistered(op)]
    for op, name in found:
        message = f"{fate(name, function.profile)}: no pattern converts it."
        yield Draft(op_span(function, op), f"{message}\nConvert it with a pass before gpu-to-llvm.")


def _is_unregistered(op: Operation) -> bool:
    """Return whether `op` is an unregistered gpu op with token operands or results."""
    if not isinstance(op, UnregisteredOp) or not op.op_name.data.startswith("gpu."):
        return False
    return AsyncTokenType() in (*op.operand_types, *op.result_types)


RULE = Rule("GA114", "no-pattern", Severity.ERROR, check)
