"""An op on a stream that a blocking wait has destroyed.

## What happens
A blocking gpu.wait destroys the stream of each operand. Every token of that stream becomes invalid, including
tokens that were defined earlier. An op that depends on such a token runs on a destroyed handle, which is
undefined.

## What it does not report
- A callee that destroys a stream passed to it: GA203 reports it in the callee.
- A token that is a stream on one path and an event on another.
- Paths that take too long to search, if they determine which stream is used.
- Functions with a syntax error.

## Example
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
gpu.wait [%a]
%b = gpu.memset async [%t0] %src, %value : memref<4xf32>, f32
```
Use instead:
```mlir
%t0 = gpu.wait async
%a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
gpu.wait [%a]
%stream = gpu.wait async
%b = gpu.memset async [%stream] %src, %value : memref<4xf32>, f32
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, OpResult

from gpuasync_lsp.analysis.model.function import AsyncFunction, Fault, HandleFault, Kind
from gpuasync_lsp.analysis.model.passing import LOOPS
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import LATER_ITERATION, Origin
from gpuasync_lsp.analysis.repairs.dependencies import stream_before
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, earlier, operand_span, stream_name
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.text import Edit, Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that depend on a token of a stream that may be destroyed."""
    for fault in function.faults:
        is_stream = fault.handle.kind is Kind.STREAM or fault.handle.only is Origin.STREAM
        if fault.fault is Fault.USED_AFTER_DESTROY and is_stream:
            assert fault.earlier is not None
            where = f" {earlier(fault.path)}" if fault.path else ""
            fixes = tuple(_fixes(function, fault))
            why = "" if fixes else sentence_of(_obstacle(fault) or "the text does not show the operand")
            callee = callee_of(fault.op)
            subject = f"This {fault.op.name} runs" if callee is None else f"@{callee} enqueues work"
            yield Draft(
                operand_span(function, fault.op, fault.operand),
                f"{subject} on {stream_name(function, fault.handle)}, which was already destroyed{where}.\n"
                f"A blocking gpu.wait destroys its streams: create a new one for later work.{why}",
                at_op(function, fault.earlier.op, "the stream is destroyed here"),
                fixes,
            )


def _obstacle(fault: HandleFault) -> str:
    """Explain why no new stream can replace the destroyed one; empty if one can."""
    if fault.path and not (fault.path.startswith(LATER_ITERATION) and _is_in_each_iteration(fault)):
        return "on another path the stream still exists, and a new one would replace it there too"
    if fault.op.name == "gpu.wait":
        return "the wait is for the work on that stream"
    if callee_of(fault.op) is not None and _token_of(fault.op) is not None:
        return "the callee may return a token of that stream or of another"
    return ""


def _is_in_each_iteration(fault: HandleFault) -> bool:
    """Return whether the stream is destroyed in every iteration of the loop around both ops."""
    assert fault.earlier is not None
    destroys = fault.earlier.op
    loop = destroys.parent_op()
    if loop is None or not loop.is_ancestor(fault.op):
        return False
    return destroys.parent is fault.op.parent or loop.name in LOOPS


def _fixes(function: AsyncFunction, fault: HandleFault) -> Iterator[Fix]:
    span = function.spans.operand(fault.op, fault.operand) if fault.operand is not None else None
    if span is None or _obstacle(fault):
        return
    editor = Editor(function)
    stream = stream_before(editor, fault.op)
    editor.edits.append(Edit(span, stream))
    made = fault.handle.op
    if made is not None and made.name == "gpu.wait" and not made.operands and _is_only_use(made, fault.op):
        editor.remove(made)  # This was the stream's only use, in a loop: nothing else destroys it.
    # A later wait destroys the old stream; no wait would destroy the new one.
    token = _token_of(fault.op)
    if token is not None and not token.uses:
        editor.after(fault.op, f"gpu.wait [{function.span_name(token)}]")
    elif token is None and callee_of(fault.op) is not None:
        editor.after(fault.op, f"gpu.wait [{stream}]")
    yield Fix("Create a new stream here", Safety.SAFE, editor.done())


def _token_of(op: Operation) -> OpResult | None:
    return next((each for each in op.results if isinstance(each.type, AsyncTokenType)), None)


def _is_only_use(made: Operation, op: Operation) -> bool:
    """Return whether `op` is the only user of the token of `made`, and uses it once."""
    return [use.operation for use in made.results[0].uses] == [op]


RULE = Rule("GA202", "use-after-stream-destroy", Severity.ERROR, check)
