"""An explicit stream that gpu-to-llvm silently drops.

## What happens
`gpu.launch_func <%stream : !llvm.ptr> ...` keeps its stream only if no part of the op needs conversion. With
index dimensions, memref arguments, `async` or dependencies the op is rebuilt, and the explicit stream is
lost: the launch runs on a different stream. This holds since LLVM 18; LLVM 16 and 17 have no such operand.

## What it does not report
- A launch with `async` or dependencies in a release that rejects it together with a stream: GA109 reports it.

## Example
```mlir
gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead dimensions of type i64 and arguments of LLVM types, or tokens:
```mlir
%n_i64 = arith.index_cast %n : index to i64
gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%n_i64, %n_i64, %n_i64)
    threads in (%n_i64, %n_i64, %n_i64) : i64
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.model.runtime import needs_conversion
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.explicit_stream import cast_sizes, keep_one
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches whose explicit stream gpu-to-llvm drops."""
    profile = function.profile
    if not profile.async_object:
        return
    for info in function.launches:
        op = info.op
        if not info.has_object or not isinstance(op, LaunchFuncOp):
            continue
        if profile.async_object_conflict and (info.token is not None or info.deps):
            continue
        converted = [o for o in op.operands if needs_conversion(o.type)]
        if not converted and info.token is None:
            continue
        stream = op.async_object
        of_token = stream is not None and needs_conversion(stream.type)
        first = stream if of_token else converted[0] if converted else None
        name = function.span_name(first) if first is not None else ""
        why = f"operand {name} of the launch needs type conversion, so the launch runs on another stream"
        instead = "Convert the operands to LLVM types first (i64 dimensions), or depend on a token."
        if info.token is not None:
            why = "the launch is async and runs on the stream of its dependencies"
            instead = "Keep the dependencies, or the explicit stream."
        elif of_token:
            instead = "Pass a token as a dependency: `gpu.launch_func async [...]`."
        span = function.spans.operand(op, len(op.operands) - 1)
        yield Draft(
            span or op_span(function, op),
            f"{profile.label} silently drops this explicit stream: {why}.\n{instead}",
            fixes=tuple(_fixes(function, info, op)),
        )


def _fixes(function: AsyncFunction, info: AsyncOp, op: LaunchFuncOp) -> Iterator[Fix]:
    if info.token is not None:
        yield from keep_one(function, info, op)
        return
    editor = Editor(function)
    if cast_sizes(function, editor, op):
        reason = "the launch then runs on this stream"
        yield Fix("Cast the sizes to i64", Safety.UNSAFE, editor.done(), reason)


def versions(profile: Profile) -> str:
    """Describe in which releases a launch may have an explicit stream."""
    return "dropped if anything is converted" if profile.async_object else "no async object"


RULE = Rule("GA207", "dropped-async-object", Severity.ERROR, check, versions=versions)
