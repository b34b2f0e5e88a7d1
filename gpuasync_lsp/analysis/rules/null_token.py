"""An async gpu.alloc or gpu.dealloc without dependencies, whose token is the null stream.

## What happens
Since LLVM 23 (PR 191661), gpu.alloc and gpu.dealloc also lower without dependencies, on the null stream. In
the async form the token becomes a null pointer, which a later gpu.wait treats as an event:
`mgpuEventSynchronize(null)` fails, and the host does not wait.

## What it does not report
- Later uses of the null token, through calls and branches: only the op that defines it is reported.

## Example
```mlir
%p, %t1 = gpu.alloc async () : memref<4xf32>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32>
gpu.wait [%t2]
```
Use instead:
```mlir
%stream = gpu.wait async
%p, %t1 = gpu.alloc async [%stream] () : memref<4xf32>
%t2 = gpu.dealloc async [%t1] %p : memref<4xf32>
gpu.wait [%t2]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, Kind
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.missing_dependency import start_stream
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops whose token is the null stream."""
    for op in function.ops:
        handle = op.handle
        if handle is None or handle.kind is not Kind.NULL or handle.op is not op.op or not op.lowers:
            continue
        related = at_op(function, handle.waits[0].op, "treated as an event here") if handle.waits else ()
        yield Draft(
            op_span(function, op.op),
            f"{function.profile.label} lowers the token of this {op.name} to the null stream, which "
            "gpu.wait treats as an event.\nCreate a stream with `gpu.wait async` and depend on it.",
            related,
            tuple(start_stream(function, op)),
        )


def versions(profile: Profile) -> str:
    """Describe how an async alloc without dependencies lowers."""
    return "null stream" if profile.alloc_null_token else "does not lower (GA103)"


RULE = Rule("GA209", "null-token", Severity.ERROR, check, versions=versions)
