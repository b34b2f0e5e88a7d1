"""A sync gpu op with async dependencies.

## What happens
Only gpu.wait waits for its dependencies on the host. A sync gpu.launch_func with dependencies is an error (in
LLVM 24 the verifier reports it); gpu.memcpy, gpu.memset, the sparse ops and, through LLVM 22, gpu.alloc and
gpu.dealloc are not lowered.

## What it does not report
- An unused op that the release erases before it converts anything.
- gpu.wait, whose blocking form has dependencies and no `async`.

## Example
```mlir
%t0 = gpu.wait async
gpu.memcpy [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
```
Use instead:
```mlir
%t0 = gpu.wait async
%copy = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%copy]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Kind
from gpuasync_lsp.analysis.repairs.dependencies import NAMES, can_join, needed
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, deps_span, fate_when_outlined, rejected
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find sync ops that are rejected because they have dependencies."""
    profile = function.profile
    for op, _ in rejected(function, "GA104"):
        by_verifier = profile.launch_sync_dependencies == "verifier"
        if by_verifier and op.name == "gpu.launch":
            continue  # GA003 reports it.
        stops = op.name == "gpu.launch_func" and by_verifier
        if stops:
            message = "'gpu.launch_func' op dependency operands require the dependency-based async model "
            message += "i.e. returning a token"
        else:
            message = f"{fate_when_outlined(op.name, profile)}: it has dependencies but is not async."
        first = ", or wait for them before it" if op.name == "gpu.launch_func" else ""
        yield Draft(
            deps_span(function, op.op),
            f"{message}\nMake it async and wait for it afterwards{first}.",
            tuple(
                place
                for dep in dict.fromkeys(op.deps)
                for place in defined_at(function, dep, f"{function.span_name(dep)} is defined here")
            ),
            tuple(_fixes(function, op)),
            stops=stops,
        )


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    keep = needed(function, op.deps)
    names = [function.span_name(dep) for dep in keep]
    editor = Editor(function)
    released: list[str] = []
    if len(keep) > 1:
        if not all(can_join(function, dep) for dep in keep):
            return
        joined = editor.fresh("join")
        editor.before(op.op, f"{joined} = gpu.wait async [{', '.join(names)}]")
        released = [n for n, d in zip(names, keep, strict=True) if _is_ours(function, op, d)]
        names = [joined]
    if not editor.keywords(op.op, True, names):
        return
    token = editor.name_result(op.op, NAMES.get(op.name, "token"))
    if len(keep) == 1 and not _is_ours(function, op, keep[0]):
        # A later wait destroys the stream, so no wait can be added here.
        reason = "the host no longer waits here, but at the later wait for the same stream"
        yield Fix(f"Make the {op.name} async; the later wait covers it", Safety.UNSAFE, editor.done(), reason)
        return
    editor.after(op.op, f"gpu.wait [{', '.join([token, *released])}]")
    yield Fix(f"Make the {op.name} async and wait for it afterwards", Safety.SAFE, editor.done())
    if op.name == "gpu.launch_func" and all(_is_ours(function, op, dep) for dep in keep):
        # gpu.launch_func is the only one of these ops that lowers without `async` in every release.
        editor = Editor(function)
        editor.before(op.op, f"gpu.wait [{', '.join(function.span_name(dep) for dep in keep)}]")
        if editor.keywords(op.op, False, ()):
            yield Fix("Wait for the dependencies before the launch", Safety.SAFE, editor.done())


def _is_ours(function: AsyncFunction, op: AsyncOp, dep: SSAValue) -> bool:
    """Return whether no later op uses the stream of `dep`, so that a wait at `op` may destroy it."""
    handle = function.tokens[dep]
    if handle.kind is not Kind.STREAM or handle.waits or handle.goes_on:
        return False
    return (
        handle.op is not None
        and handle.op.parent is op.op.parent
        and all(other is op or other.order < op.order for other in (*handle.enqueues, *handle.joins))
    )


def versions(profile: Profile) -> str:
    """Describe which tool rejects a gpu.launch_func with dependencies but without `async`."""
    return (
        "launch_func: verifier error"
        if profile.launch_sync_dependencies == "verifier"
        else "launch_func: error"
    )


RULE = Rule("GA104", "sync-with-dependencies", Severity.ERROR, check, stops=True, versions=versions)
