"""An event that an op uses as its stream.

## What happens
A token from async.await, or a token operand of async.execute, is an event. gpu.wait handles it correctly. As
the dependency of any other op it becomes the op's *stream*: the runtime gets an event handle where it expects
a stream. Since LLVM 23, the first dependency of a launch is its stream and the launch waits for the others,
so the order of the list matters.

## What it does not report
- Arguments, and tokens of unknown ops and callees: they may be streams.
- Ops after the op that uses the event: the finding at that op covers them.
- Functions with a syntax error.

## Example
```mlir
%token, %value = async.execute -> !async.value<!gpu.async.token> {
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
  async.yield %t1 : !gpu.async.token
}
%event = async.await %value : !async.value<!gpu.async.token>
%t2 = gpu.memcpy async [%event] %src, %dst : memref<4xf32>, memref<4xf32>
gpu.wait [%t2]
```
Use instead:
```mlir
%token, %value = async.execute -> !async.value<!gpu.async.token> {
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
  async.yield %t1 : !gpu.async.token
}
%event = async.await %value : !async.value<!gpu.async.token>
%stream = gpu.wait async [%event]
%t2 = gpu.memcpy async [%stream] %src, %dst : memref<4xf32>, memref<4xf32>
gpu.wait [%t2]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Kind
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, operand_span
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops whose stream is an event on some path."""
    if not function.analyzed:
        return
    events = {
        handle for handle in function.handles if handle.kind is Kind.OPAQUE and Origin.EVENT in handle.members
    }
    for op in function.ops if events else ():
        if op.name == "gpu.wait" or op.erased or not op.deps:
            continue
        dep = op.deps[0]
        handle = function.tokens[dep]
        if handle not in events:
            continue
        # In a chain of ops, only the op that depends directly on the event is reported.
        if dep.owner in function.by_op:
            continue
        name = function.span_name(dep)
        yield Draft(
            operand_span(function, op.op, 0),
            f"{name} is an event, but this {op.name} uses it as its stream.\nCreate a stream that waits "
            "for the event with `gpu.wait async`.",
            defined_at(function, handle.value, "the event is defined here"),
            tuple(_fixes(function, op)),
        )
    yield from _yielded(function)


def _yielded(function: AsyncFunction) -> Iterator[Draft]:
    """Find events that async.yield treats as streams by recording another event on them."""
    profile = function.profile
    if profile.yield_keeps_stream_with_nvvm and function.context.nvvm_loaded:
        return
    for op, number, handle in function.yields:
        if handle.kind is Kind.OPAQUE and Origin.EVENT in handle.members:
            name = function.span_name(op.operands[number])
            yield Draft(
                operand_span(function, op, number),
                f"{name} is an event, but async.yield records an event on it and destroys it as if it were "
                "a stream.\nCreate a stream that waits for the event with `gpu.wait async`, and yield that.",
                defined_at(function, handle.value, "the event is defined here"),
                tuple(_made_a_stream(function, op, number)),
            )


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    streams = [dep for dep in op.deps if function.tokens[dep].is_stream]
    if op.name == "gpu.launch_func" and op.lowers and streams:
        first = streams[0]
        editor = Editor(function)
        names = [function.span_name(d) for d in (first, *(d for d in op.deps if d is not first))]
        if editor.dependencies(op.op, names):
            title = f"Put {names[0]} first: the launch runs on its stream"
            yield Fix(title, Safety.SAFE, editor.done())
        return
    yield from _made_a_stream(function, op.op, 0)


def _made_a_stream(function: AsyncFunction, op: Operation, operand: int) -> Iterator[Fix]:
    """Yield the fix that creates one stream for all ops that depend on the event, before the first of them.

    The new gpu.wait destroys the event, so the event must have no other use, and no loop may repeat the wait.
    """
    event, block = op.operands[operand], op.parent
    users = [use.operation for use in event.uses]
    owner = event.owner
    around = owner if isinstance(owner, Operation) else owner.parent_op()
    if around is None or around.name not in ("async.await", "async.execute"):
        return  # The value may be a stream on another path.
    if around is owner and len(list(around.operands[0].uses)) > 1:
        return  # Another async.await returns the same event.
    if block is not function.block_of(event) or any(user.parent is not block for user in users):
        return
    if any(user.name != "async.yield" and user not in function.by_op for user in users):
        return
    if any(user.name == "gpu.wait" for user in users) or not set(users) <= function.spans.ops.keys():
        return
    editor = Editor(function)
    stream, name = editor.fresh("stream"), function.span_name(event)
    first = min(users, key=lambda user: function.order[user])
    editor.before(first, f"{stream} = gpu.wait async [{name}]")
    editor.replace_uses(event, stream)
    yield Fix(f"Create a stream that waits for {name} with `gpu.wait async`", Safety.SAFE, editor.done())


RULE = Rule("GA204", "event-taken-for-stream", Severity.ERROR, check)
