"""An async launch whose GPU module is unloaded while the kernel may still be running.

## What happens
Through LLVM 20, the host code of a launch loads the GPU module, launches the kernel, and immediately unloads
the module. If the launch is async, the host has not waited for the kernel by then, and unloading a module
with running kernels is undefined behavior. Since LLVM 21, a module is loaded once, in a global constructor.

## What it does not report
- A launch that does not lower.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.launch_func async [%t0] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
gpu.wait [%t1]
```
Use instead: a sync gpu.launch_func, or LLVM 21 or later.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find async launches that lower, for releases that load the kernel module at each launch."""
    profile = function.profile
    if not profile.module_per_launch:
        return
    for op in function.launches:
        if op.name == "gpu.launch_func" and op.lowers and op.token is not None:
            yield Draft(
                op_span(function, op.op),
                f"{profile.label} unloads the GPU module right after this async launch: the kernel may "
                "still be running.\nLaunch synchronously, or use LLVM 21 or later, which loads modules once.",
            )


def versions(profile: Profile) -> str:
    """Describe when modules are loaded."""
    return "loaded and unloaded at each launch" if profile.module_per_launch else "loaded once"


RULE = Rule("GA211", "unloaded-module", Severity.WARNING, check, versions=versions)
