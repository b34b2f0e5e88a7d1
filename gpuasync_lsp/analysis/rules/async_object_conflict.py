"""An explicit stream beside `async` or dependencies.

## What happens
From LLVM 23 a launch takes its stream either from its dependencies or from an explicit
object `<%stream : !llvm.ptr>`, and the verifier refuses both. Earlier versions accept both and ignore the
object (GA207).

## Example
```mlir
%t1 = gpu.launch_func async [%t0] <%s : !llvm.ptr> @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead: one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches with both."""
    profile = function.profile
    if not profile.async_object_conflict:
        return
    for info in function.launches:
        op = info.op
        if not isinstance(op, LaunchFuncOp | LaunchOp) or op.async_object is None:
            continue
        if info.token is None and not info.deps:
            continue
        yield Draft(
            op_span(function, op),
            f"{profile.label}'s verifier refuses this launch: {profile.async_object_conflict}.\n"
            "Keep the dependencies, or the explicit stream.",
            fixes=tuple(_fixes(function, op)),
        )


def _fixes(function: AsyncFunction, op: LaunchFuncOp | LaunchOp) -> Iterator[Fix]:
    operands = list(op.operands)
    span = function.spans.operand(op, operands.index(op.async_object)) if op.async_object else None
    if span is None:
        return
    text = function.spans.text
    start, end = text.rfind("<", 0, span.start), text.find(">", span.end)
    if start < 0 or end < 0 or text[start + 1 : span.start].strip():
        return
    edit = Edit(Span(start, end + 1 + (text[end + 1 : end + 2] == " ")), "")
    reason = "the launch runs on the stream of its dependencies"
    yield Fix("Drop the explicit stream", Safety.UNSAFE, (edit,), reason)


def versions(profile: Profile) -> str:
    """Say what the verifier says."""
    return profile.async_object_conflict or ("accepted" if profile.async_object else "no async object")


RULE = Rule("GA109", "async-object-conflict", Severity.ERROR, check, versions=versions)
