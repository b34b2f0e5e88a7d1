"""A stream that is joined into another and never destroyed.

## What happens
`gpu.wait async [%a, %b]` records an event on the stream of each operand and makes a *new*
stream wait for them; so does, from LLVM 23, a launch with several dependencies for all but the first. The
joined streams are neither reused nor destroyed: each call leaks one per operand, unless a blocking gpu.wait
also takes one of their tokens. After the joining stream was waited for, that costs nothing.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%join = gpu.wait async [%t0, %t1]
%t2 = gpu.memcpy async [%join] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t2]
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.wait async
%join = gpu.wait async [%t0, %t1]
%t2 = gpu.memcpy async [%join] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t2, %t0, %t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.edits import Editor
from gpuasync_lsp.analysis.model import AsyncFunction, AsyncOp, Handle, Wait
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.unawaited_token import leaks
from gpuasync_lsp.analysis.streams import dominates
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find joined streams that are alive at the end on every path."""
    for fault in leaks(function):
        handle = fault.handle
        if not handle.joins or not fault.certain:
            continue
        assert handle.op is not None
        name = function.span_name(handle.value)
        join = handle.joins[-1]
        how = "joined by an event into another stream"
        yield Draft(
            function.spans.result(handle.value) or op_span(function, handle.op),
            f"The stream of {name} is {how} and never destroyed: each call leaks it.\n"
            "Let the final blocking gpu.wait take one of its tokens too; by then that costs nothing.",
            at_op(function, join.op, "joined here"),
            tuple(_fixes(function, handle, join)),
        )


def _fixes(function: AsyncFunction, handle: Handle, join: AsyncOp) -> Iterator[Fix]:
    token = handle.tokens[-1]
    wait = _final_wait(function, join, set())
    assert handle.op is not None
    if wait is None or wait.op.parent is not handle.op.parent or not dominates(token, wait.op):
        return
    if any(
        e.op.parent is not wait.op.parent or not e.op.is_before_in_block(wait.op) for e in handle.enqueues
    ):
        return
    editor = Editor(function)
    if editor.add_dependencies(wait.op, [function.span_name(token)]):
        yield Fix("Release it in the final wait", Safety.SAFE, editor.done())


def _final_wait(function: AsyncFunction, join: AsyncOp, seen: set[AsyncOp]) -> Wait | None:
    """Follow the join into its stream, and on into streams that one is joined into, to a blocking wait."""
    if join in seen or join.handle is None:
        return None
    seen.add(join)
    blocking = [w for w in join.handle.waits if w.blocking]
    if blocking:
        return blocking[-1]
    for further in join.handle.joins:
        found = _final_wait(function, further, seen)
        if found is not None:
            return found
    return None


def versions(profile: Profile) -> str:
    """Say what joins streams."""
    return "gpu.wait async" + (", launch_func" if profile.launch_max_dependencies is None else "")


RULE = Rule("GA402", "leaked-joined-stream", Severity.WARNING, check, versions=versions)
