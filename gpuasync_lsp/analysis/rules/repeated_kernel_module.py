"""More than one launch from one gpu.module, which LLVM 16 and 17 cannot lower.

## What happens
These releases emit the module's binary as a global at every launch, always with the same name:
`redefinition of symbol named 'kernels_gpubin_cst'`, exit status 1.

## What it does not report
- Launches in unparsable text, and in other files that are linked later.

## Example
```mlir
gpu.launch_func @kernels::@a blocks in (%n, %n, %n) threads in (%n, %n, %n)
gpu.launch_func @kernels::@b blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead: one gpu.module per launch, or a later LLVM release.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.symbols import kernel_symbol
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches from a kernel module that has several launches."""
    if not function.profile.one_launch_per_module:
        return
    first: dict[str, object] = {}
    for info in function.launches:
        symbol = kernel_symbol(info.op)
        if symbol is None or function.context.launches.get(symbol[0], 0) < 2:
            continue
        container = symbol[0]
        earlier = first.setdefault(container, info)
        # If all launches are in this function, the first one works; otherwise any launch may be the first.
        here = sum(1 for other in function.launches if (kernel_symbol(other.op) or ("",))[0] == container)
        if earlier is info and here == function.context.launches[container]:
            continue
        related = () if earlier is info else at_op(function, function.launches[0].op, "the earlier launch")
        yield Draft(
            op_span(function, info.op),
            f"{function.profile.label} fails: redefinition of symbol named '{container}_gpubin_cst'.\nIt "
            "lowers only one launch per gpu.module: move this kernel to a module of its own.",
            related,
        )


def versions(profile: Profile) -> str:
    """Describe how many launches a kernel module may have."""
    return "one launch per gpu.module" if profile.one_launch_per_module else "no limit"


RULE = Rule("GA112", "repeated-kernel-module", Severity.ERROR, check, versions=versions)
