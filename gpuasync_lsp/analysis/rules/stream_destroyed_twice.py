"""A stream that two blocking waits destroy.

## What happens
A blocking gpu.wait synchronizes *and destroys* the stream of each operand. An op's token is on the stream of
its dependency, so two tokens often belong to one stream: waiting for both, in one gpu.wait or in two, or for
a token and a token that it depends on, destroys the stream twice. cuStreamDestroy of a destroyed handle is
undefined behavior. No tool diagnoses it, and `--canonicalize` does not remove it.

## What it does not report
- A callee that destroys a stream passed to it: GA203 reports it in the callee.
- A stream that gpu.wait treats as an event, such as a block argument: GA203 and GA206 report it.
- Functions with a syntax error.

## Example
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%b = gpu.memset async [%t0] %src, %value : memref<4xf32>, f32
gpu.wait [%a, %b]
```
Use instead:
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
%b = gpu.memset async [%t0] %src, %value : memref<4xf32>, f32
gpu.wait [%b]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, Fault, HandleFault, Kind
from gpuasync_lsp.analysis.model.terms import LATER_ITERATION
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, defined_at, operand_span, sentence, stream_name
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits on a stream that another wait may have destroyed."""
    for fault in function.faults:
        if fault.fault is Fault.DESTROYED_TWICE and fault.handle.kind is Kind.STREAM:
            yield _draft(function, fault)


def _draft(function: AsyncFunction, fault: HandleFault) -> Draft:
    stream = stream_name(function, fault.handle)
    where = f" {fault.path}" if fault.path else ""
    earlier = fault.earlier
    assert earlier is not None
    if earlier.op is fault.op and not fault.path.startswith(LATER_ITERATION):
        message = f"This gpu.wait destroys {stream} twice: its operands are tokens of the same stream{where}."
        advice = "One token is enough: gpu.wait waits for the whole stream."
    else:
        message = f"{sentence(stream)} is destroyed again here{where}: a blocking gpu.wait destroys it."
        advice = "Wait once for the stream, after its last op."
        if fault.path.startswith(LATER_ITERATION):
            advice = "Create the stream inside the loop, or wait for it after the loop."
    related = (
        *(at_op(function, earlier.op, "destroyed here the first time") if earlier.op is not fault.op else ()),
        *defined_at(function, fault.handle.value, "the stream is created here"),
    )
    fixes = tuple(_fixes(function, fault))
    if not fixes:
        advice += sentence_of("which wait to keep depends on the path through the function")
    return Draft(
        operand_span(function, fault.op, fault.operand),
        f"{message}\n{advice}",
        related,
        fixes,
    )


def _fixes(function: AsyncFunction, fault: HandleFault) -> Iterator[Fix]:
    earlier = fault.earlier
    if earlier is None or fault.operand is None or fault.op not in function.by_op:
        return
    editor = Editor(function)
    if earlier.op is fault.op:
        # If one wait has both operands, keep the last. There is no fix for an operand destroyed twice by a
        # loop.
        if earlier.operand == fault.operand:
            return
        if editor.drop_dependency(fault.op, min(earlier.operand, fault.operand)):
            yield Fix("Wait once, for the last token", Safety.SAFE, editor.done())
        return
    if earlier.op.parent is not fault.op.parent or earlier.op not in function.order:
        return
    between = [
        op for op in fault.handle.enqueues if function.order[earlier.op] < op.order < function.order[fault.op]
    ]
    victim, operand, safety, reason = fault.op, fault.operand, Safety.SAFE, ""
    if between:
        victim, operand, safety = earlier.op, earlier.operand, Safety.UNSAFE
        reason = "the host no longer waits at the earlier gpu.wait"
    info = function.by_op.get(victim)
    if info is None or info.name != "gpu.wait":
        return
    if len(info.deps) == 1:
        editor.remove(victim)
    elif not editor.drop_dependency(victim, operand):
        return
    yield Fix("Wait once for this stream", safety, editor.done(), reason)


RULE = Rule("GA201", "stream-destroyed-twice", Severity.ERROR, check)
