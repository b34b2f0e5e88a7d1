"""A stream that is joined into another and never destroyed.

## What happens
`gpu.wait async [%a, %b]` records an event on the stream of each operand and makes a *new* stream wait for
them; since LLVM 23, a launch with several dependencies does the same for all but the first. The joined
streams are neither reused nor destroyed: each call leaks one stream per operand, unless a token of the stream
is also an operand of a blocking gpu.wait. Such an operand costs nothing once the joining stream has been
waited for.

The event is created and recorded directly after the op that defines the operand, wherever the join is: if the
join is in only one branch, the event leaks in the other.

## What it does not report
- A stream that is destroyed on some paths: GA401 reports it.
- Cases that GA401 does not report: tokens that escape, functions with a syntax error.

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

from gpuasync_lsp.analysis.model.function import AsyncFunction, Fault, Handle, HandleFault, Wait
from gpuasync_lsp.analysis.repairs.dependencies import dominates
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.unawaited_token import leaks
from gpuasync_lsp.analysis.wording import at_op, defined_at, op_span, operand_span, stream_name
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find joined streams that leak on every path, and events for joins that leak on some path."""
    for fault in function.faults if function.analyzed else ():
        if fault.fault is Fault.EVENT_LEAKED:
            yield _event(function, fault)
    released = dict[Handle, Wait | None]()
    for handle in (fault.handle for fault in leaks(function) if fault.certain and fault.handle.joins):
        assert handle.op is not None
        name = function.span_name(handle.value)
        join = handle.joins[-1]
        how = "joined through an event into another stream"
        wait = final_wait(handle, released)
        fixes = tuple(_fixes(function, handle, wait))
        yield Draft(
            function.spans.result(handle.value) or op_span(function, handle.op),
            f"The stream of {name} is {how} and never destroyed: each call leaks it.\nAdd one of its "
            "tokens to the final blocking gpu.wait; that costs nothing there."
            + ("" if fixes else sentence_of(_obstacle(function, handle, wait))),
            at_op(function, join.op, "joined here"),
            fixes,
        )


def _event(function: AsyncFunction, fault: HandleFault) -> Draft:
    value = function.by_op[fault.op].deps[fault.operand or 0]
    name = function.span_name(value)
    where = fault.path or "on some path"
    return Draft(
        operand_span(function, fault.op, fault.operand),
        f"The event for {name} is recorded where {name} is defined, and destroyed only here: it leaks "
        f"{where}.\nJoin it on every path, or define the token next to the join. No automatic fix: either "
        "may be intended.",
        defined_at(function, value, "the event is created and recorded here"),
    )


def _fixes(function: AsyncFunction, handle: Handle, wait: Wait | None) -> Iterator[Fix]:
    token = handle.tokens[-1]
    assert handle.op is not None
    if wait is None or wait.op.parent is not handle.op.parent or not dominates(function, token, wait.op):
        return
    if any(
        e.op.parent is not wait.op.parent or not function.is_before(e.op, wait.op) for e in handle.enqueues
    ):
        return
    editor = Editor(function)
    if editor.add_dependencies(wait.op, [function.span_name(token)]):
        yield Fix(
            f"Destroy {stream_name(function, handle)} in the final gpu.wait", Safety.SAFE, editor.done()
        )


def _obstacle(function: AsyncFunction, handle: Handle, wait: Wait | None) -> str:
    """Explain why no token of the stream can be added to a wait."""
    if wait is None:
        return "no blocking gpu.wait follows its last join"
    assert handle.op is not None
    if wait.op.parent is not handle.op.parent or not dominates(function, handle.tokens[-1], wait.op):
        return "the final wait is in another block"
    return "the stream has work in another block, or after the final wait"


def final_wait(handle: Handle, known: dict[Handle, Wait | None]) -> Wait | None:
    """Return the blocking wait after which all work on a stream is complete, following joins.

    `known` memoizes the result per stream."""
    on_the_way: list[Handle] = []
    into: Handle | None = handle
    wait: Wait | None = None
    while into is not None:
        if into in known:
            wait = known[into]
            break
        known[into] = None
        on_the_way.append(into)
        blocking = [each for each in into.waits if each.blocking] if into.waits else []
        if blocking:
            wait = blocking[-1]
            break
        into = into.joins[-1].handle if into.joins else None
    known.update(dict.fromkeys(on_the_way, wait))
    return wait


def versions(profile: Profile) -> str:
    """Describe the ops that join streams."""
    return "gpu.wait async" + (", launch_func" if profile.launch_max_dependencies is None else "")


RULE = Rule("GA402", "leaked-joined-stream", Severity.WARNING, check, versions=versions)
