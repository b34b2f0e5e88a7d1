"""An explicit stream together with `async` or dependencies.

## What happens
Since LLVM 23, the stream of a launch is given either by its dependencies or by an explicit object `<%stream :
!llvm.ptr>`, and the verifier rejects both together. Earlier releases accept both and ignore the object
(GA207).

## What it does not report
- Releases before LLVM 23, which ignore the object: GA207 reports it.

## Example
```mlir
%t1 = gpu.launch_func async [%t0] <%s : !llvm.ptr> @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead: one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.repairs.explicit_stream import keep_one
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches with dependencies, or `async`, and an explicit stream."""
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
            f"{profile.label} rejects this before any pass runs: keep either the dependencies or the "
            "explicit stream.",
            fixes=tuple(keep_one(function, info, op)),
        )


def versions(profile: Profile) -> str:
    """Describe what the verifier reports for such a launch."""
    return profile.async_object_conflict or ("accepted" if profile.async_object else "no async object")


RULE = Rule("GA109", "async-object-conflict", Severity.ERROR, check, stops=True, versions=versions)
