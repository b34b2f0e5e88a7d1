"""Independent ops that fork from one token and still run one after another.

## What happens
An op on a token is on that token's stream, and its own token is the same stream. Two ops
that depend on one token look like a fork, and run serially on one stream in the order of the text. For work
at the same time each needs a stream: `gpu.wait async [%t]` makes one that begins after %t.

## Example
```mlir
%t0 = gpu.wait async
%a = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
%b = gpu.memcpy async [%t0] %dst2, %src2 : memref<4xf32>, memref<4xf32>
gpu.wait [%b]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.edits import Editor
from gpuasync_lsp.analysis.memory import Touched
from gpuasync_lsp.analysis.model import AsyncFunction, AsyncOp, Kind
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Edit, Fix, Safety, Severity

_WORK = frozenset({"gpu.memcpy", "gpu.memset", "gpu.launch_func"})


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find the second and later consumers of one token that touch nothing the earlier ones touch."""
    forks: dict[SSAValue, list[AsyncOp]] = {}
    for op in function.ops:
        if op.name not in _WORK or op.token is None or not op.lowers or not op.deps or not op.accesses:
            continue
        if function.tokens[op.deps[0]].kind is Kind.STREAM:
            forks.setdefault(op.deps[0], []).append(op)
    for dep, ops in forks.items():
        touched = Touched()
        for op in ops:
            independent = op is not ops[0] and touched.is_apart_from(op)
            touched.add(op)
            if independent:
                yield Draft(
                    op_span(function, op.op),
                    f"This {op.name} waits for the {ops[0].name} above: both are on the stream of "
                    f"{function.span_name(dep)}, though they touch different buffers.\n"
                    f"To run them at the same time, fork with `gpu.wait async [{function.span_name(dep)}]`.",
                    at_op(function, ops[0].op, "the op that runs before"),
                    tuple(_fixes(function, op)),
                )


_MANY = 32
"""Ops on one stream from which on nobody forks by a quick fix."""


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    """Run `op` on a stream of its own, which the one wait for the old stream takes too."""
    handle, dep = op.handle, op.deps[0]
    if handle is None or op.token is None or handle.goes_on or len(handle.enqueues) > _MANY:
        return
    others = [e for e in handle.enqueues if e is not op]
    if len(handle.waits) != 1 or not handle.waits[0].blocking or not others:
        return
    wait = handle.waits[0]
    one_block = all(e.op.parent is wait.op.parent for e in (op, *others))
    if not one_block or not function.is_before(op.op, wait.op):
        return
    if any(use.operation is not wait.op for use in op.token.uses):
        return
    started = _position(function, dep)
    joined = (d for join in handle.joins for d in join.deps if function.tokens[d] is handle)
    if any(_position(function, d) > started for d in joined):
        return  # What comes after that join may rely on this op being done.
    for other in others:
        if other.order <= started:
            continue
        if (
            other.token is None
            or not Touched([other]).is_apart_from(op)
            or not function.is_before(other.op, wait.op)
        ):
            return
    last = max(others, key=lambda e: e.order).token
    place = function.spans.operand(op.op, 0)
    if place is None or last is None:
        return
    missing = last if wait.value is op.token else op.token
    editor = Editor(function)
    stream = editor.fresh("stream")
    editor.before(op.op, f"{stream} = gpu.wait async [{function.span_name(dep)}]")
    editor.edits.append(Edit(place, stream))
    if editor.add_dependencies(wait.op, [function.span_name(missing)]):
        yield Fix("Fork into a new stream", Safety.UNSAFE, editor.done(), "the two run at the same time")


def _position(function: AsyncFunction, value: SSAValue) -> int:
    return function.order.get(value.owner, -1) if isinstance(value.owner, Operation) else -1


RULE = Rule("GA501", "serialized-fork", Severity.INFORMATION, check)
