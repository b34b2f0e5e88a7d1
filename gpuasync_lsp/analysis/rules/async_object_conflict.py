"""An explicit stream beside `async` or dependencies.

## What happens
From LLVM 23 a launch takes its stream either from its dependencies or from an explicit
object `<%stream : !llvm.ptr>`, and the verifier refuses both. Earlier versions accept both and ignore the
object (GA207).

## Where it is silent
- Releases before 23, which ignore the object: GA207 speaks.

## Example
```mlir
%t1 = gpu.launch_func async [%t0] <%s : !llvm.ptr> @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead: one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.dropped_async_object import cast_sizes
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches with both."""
    profile = function.profile
    if not profile.async_object_conflict:
        return
    for info in function.ops:
        op = info.op
        if not info.has_object or not isinstance(op, LaunchFuncOp | LaunchOp):
            continue
        is_async = info.token is not None and profile.async_object_excludes_async
        if not is_async and not info.deps:
            continue
        yield Draft(
            op_span(function, op),
            f"'{op.name}' op {profile.async_object_conflict}\n"
            f"{profile.label} stops here before any pass: keep the dependencies, or the explicit stream.",
            fixes=tuple(_fixes(function, info, op)),
        )


def _fixes(function: AsyncFunction, info: AsyncOp, op: LaunchFuncOp | LaunchOp) -> Iterator[Fix]:
    span = function.spans.operand(op, len(op.operands) - 1)
    text = function.spans.text
    start, end = (-1, -1) if span is None else (text.rfind("<", 0, span.start), text.find(">", span.end))
    if span is not None and start >= 0 and end >= 0 and not text[start + 1 : span.start].strip():
        edit = Edit(Span(start, end + 1 + (text[end + 1 : end + 2] == " ")), "")
        reason = "the launch runs on the stream of its dependencies"
        yield Fix("Drop the explicit stream", Safety.UNSAFE, (edit,), reason)
    if isinstance(op, LaunchFuncOp):
        yield from _keep_the_stream(function, info, op)


def _keep_the_stream(function: AsyncFunction, info: AsyncOp, op: LaunchFuncOp) -> Iterator[Fix]:
    """Drop `async` and the dependencies, where only blocking waits take the token: they wait for those."""
    editor = Editor(function)
    if not editor.keywords(op, False, ()) or not cast_sizes(function, editor, op):
        return
    if info.token is not None:
        result = function.spans.result(info.token)
        users = [use.operation for use in info.token.uses]
        if result is None or any(user.name != "gpu.wait" or user.results for user in users):
            return
        names = [function.span_name(dep) for dep in info.deps]
        for user in users:
            taken = [function.span_name(v) for v in user.operands if v is not info.token]
            editor.dependencies(user, list(dict.fromkeys((*taken, *names))))
            if not taken and not names:
                return
        editor.edits.append(Edit(Span(result.start, function.spans.name(op).start), ""))
    reason = "the launch runs on the explicit stream, and nothing here waits for that"
    yield Fix("Keep the explicit stream only", Safety.UNSAFE, editor.done(), reason)


def versions(profile: Profile) -> str:
    """Say what the verifier says."""
    return profile.async_object_conflict or ("accepted" if profile.async_object else "no async object")


RULE = Rule("GA109", "async-object-conflict", Severity.ERROR, check, stops=True, versions=versions)
