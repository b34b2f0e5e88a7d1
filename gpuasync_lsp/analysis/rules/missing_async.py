"""A gpu op without `async` that lowers only in its async form.

## What happens
gpu.memcpy, gpu.memset and the sparse ops lower only with `async` and one dependency, in every release; so do
gpu.alloc and gpu.dealloc through LLVM 22. Since LLVM 23, a sync alloc or dealloc lowers on the null stream.

## What it does not report
- An unused op that the release erases before it converts anything.
- gpu.launch_func, which creates its own stream: GA506 explains the cost.
- Ops in the body of a gpu.launch.

## Example
```mlir
gpu.memcpy %dst, %src : memref<4xf32>, memref<4xf32>
```
Use instead:
```mlir
%stream = gpu.wait async
%copy = gpu.memcpy async [%stream] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%copy]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.dependencies import NAMES
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.region_pass_breaks import breaking
from gpuasync_lsp.analysis.wording import fate, op_span, rejected
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find sync ops without dependencies that do not lower."""
    for op, _ in rejected(function, "GA102"):
        yield Draft(
            op_span(function, op.op),
            f"{fate(op.name, function.profile)}: it lowers only with `async` and one dependency.\n"
            f"{_advice(function)}",
            fixes=tuple(_fixes(function, op)),
        )


def _advice(function: AsyncFunction) -> str:
    """Describe the repair; it mentions gpu-async-region unless the pass breaks another op of the function."""
    is_broken = next(breaking(function), None) is not None
    by_pass = "" if is_broken else ", or run gpu-async-region first"
    return f"Put it on a stream of its own and wait for it{by_pass}."


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    editor = Editor(function)
    stream = editor.fresh("stream")
    editor.before(op.op, f"{stream} = gpu.wait async")
    if editor.keywords(op.op, True, [stream]):
        token = editor.name_result(op.op, NAMES.get(op.name, "token"))
        editor.after(op.op, f"gpu.wait [{token}]")
        yield Fix(f"Make the {op.name} async on a new stream and wait for it", Safety.SAFE, editor.done())


def versions(profile: Profile) -> str:
    """Describe the ops that must be async."""
    names = "memcpy, memset, sparse ops" + (", alloc, dealloc" if profile.alloc_needs_one_dependency else "")
    return f"{names} must be async"


RULE = Rule("GA102", "missing-async", Severity.ERROR, check, versions=versions)
