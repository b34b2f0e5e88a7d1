"""A host-shared gpu.alloc that the release cannot lower.

## What happens
`gpu.alloc host_shared` has no async form in the runtime: with `async` it is silently left unlowered. LLVM 16
lowers host_shared in neither form.

## What it does not report
- An unused alloc that the release erases before it converts anything.

## Example
```mlir
%t0 = gpu.wait async
%p, %t1 = gpu.alloc async [%t0] host_shared () : memref<4xf32>
gpu.wait [%t1]
```
Use instead:
```mlir
%t0 = gpu.wait async
%p = gpu.alloc host_shared () : memref<4xf32>
gpu.wait [%t0]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.dependencies import can_join, needed, stream_before
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import fate, op_span, rejected
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Fix, Safety, Severity

BESIDE_REGION_PASS = (
    "Make the ops async by hand and drop gpu-async-region, or use memref.alloc and gpu.host_register "
    "instead of host_shared."
)
"""Advice for a pipeline in which gpu-async-region makes every gpu.alloc async."""


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find host_shared allocs that do not lower."""
    for op, _ in rejected(function, "GA105"):
        never = function.profile.host_shared == "never"
        why = "host_shared does not lower in this release" if never else "a host_shared alloc cannot be async"
        advice = "Drop `async`: the allocation is complete when the call returns."
        if never:
            advice = "Use gpu.alloc without host_shared."
        elif any("gpu-async-region" in step for step in function.context.pipeline or ()):
            advice = BESIDE_REGION_PASS
        yield Draft(
            op_span(function, op.op),
            f"{fate(op.name, function.profile)}: {why}.\n{advice}",
            fixes=() if never else tuple(_fixes(function, op)),
        )


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    """Yield the fix that drops `async`; users of the token depend on the alloc's dependencies instead."""
    assert op.token is not None
    editor = Editor(function)
    if not editor.keywords(op.op, False, ()):
        return
    editor.drop_token(op.op)
    keep = needed(function, op.deps)
    if op.token.uses:
        if len(keep) == 1:
            stand_in = function.span_name(keep[0])
        elif keep and not all(can_join(function, dep) for dep in keep):
            return
        elif keep:
            stand_in = editor.fresh("join")
            names = ", ".join(function.span_name(dep) for dep in keep)
            editor.before(op.op, f"{stand_in} = gpu.wait async [{names}]")
        else:
            stand_in = stream_before(editor, op.op)
        editor.replace_uses(op.token, stand_in)
    yield Fix("Drop `async`", Safety.SAFE, editor.done())


def versions(profile: Profile) -> str:
    """Describe the forms of host_shared allocs that lower."""
    return {"never": "never lowers", "sync": "sync only", "sync-at-most-one": "sync, at most one dependency"}[
        profile.host_shared
    ]


RULE = Rule("GA105", "async-host-shared-alloc", Severity.ERROR, check, versions=versions)
