"""An explicit stream that gpu-to-llvm drops without a word.

## What happens
`gpu.launch_func <%stream : !llvm.ptr> ...` keeps its stream only if nothing about the op needs conversion.
With index dimensions, memref arguments, `async` or dependencies the op is rebuilt, and the explicit stream
is lost: the launch runs on another stream. From LLVM 18; 16 and 17 have no such operand.

## Example
```mlir
gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead: dimensions of type i64 and arguments of LLVM types, or tokens.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IndexType, MemRefType, UnrankedMemRefType

from gpuasync_lsp.analysis.model import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType, LaunchFuncOp
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches that lose their stream."""
    profile = function.profile
    if not profile.async_object:
        return
    for info in function.launches:
        op = info.op
        if not isinstance(op, LaunchFuncOp) or op.async_object is None:
            continue
        if profile.async_object_conflict and (info.token is not None or info.deps):
            continue
        converted = [o for o in op.operands if _needs_conversion(o.type)]
        if not converted and info.token is None:
            continue
        why = "it is async" if not converted else f"{function.span_name(converted[0])} has to be converted"
        span = function.spans.operand(op, list(op.operands).index(op.async_object))
        yield Draft(
            span or op_span(function, op),
            f"{profile.label} drops this stream without a message: {why}. The launch runs on another.\n"
            "Convert the operands to LLVM types first (i64 dimensions), or depend on a token.",
        )


def _needs_conversion(kind: object) -> bool:
    return isinstance(kind, IndexType | MemRefType | UnrankedMemRefType | AsyncTokenType)


def versions(profile: Profile) -> str:
    """Say whether there is such an operand."""
    return "dropped if anything is converted" if profile.async_object else "no async object"


RULE = Rule("GA207", "dropped-async-object", Severity.ERROR, check, versions=versions)
