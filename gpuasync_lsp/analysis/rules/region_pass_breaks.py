"""An async op to which gpu-async-region would add a second dependency.

## What happens
gpu-async-region expects sync ops. It threads one token through a block and prepends it to the dependencies of
each gpu op that does not yet depend on it. An op that depends on a different token then has two dependencies,
and no longer lowers (GA101). A sync host_shared alloc becomes async, and does not lower either (GA105).

This is reported only if the configured pipeline contains gpu-async-region.

## What it does not report
- Files whose `pipeline` does not contain gpu-async-region.
- Tokens that are defined outside a block: the pass threads a separate token through each block.
- Launches in LLVM 23 and later, which lower with several dependencies.

## Example
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%b = gpu.memset async [%t0] %src, %value : memref<4xf32>, f32
gpu.wait [%b]
```
Use instead: write the ops without `async`, or depend on the token of the preceding op.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.async_host_shared_alloc import BESIDE_REGION_PASS
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that gpu-async-region breaks, if a configured pipeline contains it."""
    if any("gpu-async-region" in step for step in function.context.pipeline or ()):
        yield from breaking(function)


def breaking(function: AsyncFunction) -> Iterator[Draft]:
    """Yield findings for the ops that break when gpu-async-region threads a token through each block."""
    current: dict[Block, SSAValue | None] = {}
    added: set[Block] = set()
    """Blocks in which gpu-async-region makes the last visited op async."""
    for op in function.ops:
        block = op.op.parent
        if block is None:
            continue
        token = current.get(block)
        if op.name == "gpu.alloc" and op.token is None and "hostShared" in op.op.properties:
            yield Draft(
                op_span(function, op.op),
                "gpu-async-region makes this host_shared alloc async, which does not lower.\n"
                f"{BESIDE_REGION_PASS}",
            )
        elif block in added and op.deps and _takes_one(op, function):
            yield Draft(
                op_span(function, op.op),
                "gpu-async-region adds the token of the preceding op to these dependencies; with "
                f"{len(op.deps) + 1} the op does not lower.\nWrite all ops of the "
                "block with `async`, or all without.",
            )
        elif token is not None and op.deps and token not in op.deps and _takes_one(op, function):
            assert isinstance(token.owner, Operation)
            yield Draft(
                op_span(function, op.op),
                f"gpu-async-region adds {function.span_name(token)} to these dependencies; with "
                f"{len(op.deps) + 1} the op does not lower.\nWrite it without `async`, or depend on "
                f"{function.span_name(token)}.",
                at_op(function, token.owner, "the token that the pass threads through"),
            )
        added.discard(block)
        if op.token is not None:
            current[block] = op.token
        elif op.name == "gpu.wait":
            current[block] = None
        else:
            current[block] = None
            added.add(block)


def _takes_one(op: AsyncOp, function: AsyncFunction) -> bool:
    """Return whether `op` lowers only with at most one dependency."""
    most = function.profile.launch_max_dependencies
    return op.name != "gpu.wait" and not (op.name.startswith("gpu.launch") and most is None)


RULE = Rule("GA507", "region-pass-breaks", Severity.HINT, check)
