"""Independent ops that fork from one token but run one after another.

## What happens
An op runs on the stream of its dependency, and its token belongs to that stream. Two ops that depend on one
token look like a fork, but run one after another on one stream, in program order. To run them concurrently,
each needs its own stream: `gpu.wait async [%t]` creates one that starts after %t.

## What it does not report
- Ops on one token if one of them writes, or may write, memory that the other accesses, or if such an op is
  between them on the stream.
- Ops in different blocks: ops of exclusive branches never run after each other.
- Ops whose token is an event, or whose stream is unknown.
- Ops that access no memory, and ops that do not lower.

## Example
```mlir
%t0 = gpu.wait async
%a = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
%b = gpu.memcpy async [%t0] %dst2, %src2 : memref<4xf32>, memref<4xf32>
gpu.wait [%b]
```
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp, Handle, Kind
from gpuasync_lsp.analysis.model.memory.touched import Touched
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.text import Edit, Fix, Safety, Severity

_WORK = frozenset({"gpu.memcpy", "gpu.memset", "gpu.launch_func"})


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find users of one token, after the first, that do not conflict with the earlier ones."""
    forks: dict[tuple[SSAValue, Block | None], list[AsyncOp]] = {}
    for op in function.ops:
        if op.name not in _WORK or op.token is None or not op.deps or not op.accesses or not op.lowers:
            continue
        if function.tokens[op.deps[0]].kind is Kind.STREAM:
            forks.setdefault((op.deps[0], op.op.parent), []).append(op)
    for (dep, _), ops in forks.items():
        if len(ops) == 1:
            continue
        before = sorted(function.tokens[dep].enqueues, key=lambda each: each.order)
        before = before[bisect_left(before, ops[0].order, key=lambda each: each.order) :]
        touched, taken = Touched(), 0
        for op in ops:
            while taken < len(before) and before[taken].order < op.order:
                touched.add(before[taken])
                taken += 1
            if op is not ops[0] and touched.is_apart_from(op):
                yield Draft(
                    op_span(function, op.op),
                    f"This {op.name} waits for the {ops[0].name} above: both are on the stream of "
                    f"{function.span_name(dep)}, though neither writes memory that the other accesses.\nTo "
                    f"run them concurrently, fork with `gpu.wait async [{function.span_name(dep)}]`.",
                    at_op(function, ops[0].op, "the op that runs first"),
                    tuple(_fixes(function, op)),
                )


_MANY = 32
"""The maximum number of ops on a stream for which there is a fix."""


def _fixes(function: AsyncFunction, op: AsyncOp) -> Iterator[Fix]:
    edits = fork(function, op)
    if edits is not None:
        yield Fix("Fork into a new stream", Safety.UNSAFE, edits, "the two run concurrently")


def fork(function: AsyncFunction, op: AsyncOp) -> tuple[Edit, ...] | None:
    """Return the edits that move `op`, and the ops after it on its token chain, to a new stream.

    The only wait on the old stream then also waits on the new one. Returns None if another op on the
    old stream accesses the same memory as the moved ops, or relies on their completion.
    """
    handle, dep = op.handle, op.deps[0]
    if handle is None or op.token is None or handle.goes_on or len(handle.enqueues) > _MANY:
        return None
    if len(handle.waits) != 1 or not handle.waits[0].blocking:
        return None
    wait = handle.waits[0]
    moved, others = _apart(handle, op)
    if any(e.op.parent is not wait.op.parent for e in handle.enqueues) or not others:
        return None
    if any(e.token is None or not function.is_before(e.op, wait.op) for e in handle.enqueues):
        return None
    tokens = {e.token: e for e in moved}
    ops = {wait.op, *(e.op for e in moved)}
    if any(use.operation not in ops for token in tokens if token is not None for use in token.uses):
        return None
    started = _position(function, dep)
    joined = (d for join in handle.joins for d in join.deps if function.tokens[d] is handle)
    if any(_position(function, d) > started for d in joined):
        return None  # Work after that join may rely on this op being complete.
    beside = Touched(other for other in others if other.order > started)
    if not all(beside.is_apart_from(e) for e in moved):
        return None
    place = function.spans.operand(op.op, 0)
    missing = (others if wait.value in tokens else moved)[-1].token
    if place is None or missing is None:
        return None
    editor = Editor(function)
    stream = editor.fresh("stream")
    editor.before(op.op, f"{stream} = gpu.wait async [{function.span_name(dep)}]")
    editor.edits.append(Edit(place, stream))
    return editor.done() if editor.add_dependencies(wait.op, [function.span_name(missing)]) else None


def _apart(handle: Handle, op: AsyncOp) -> tuple[list[AsyncOp], list[AsyncOp]]:
    """Split the ops on a stream into `op` with its token chain, and all other ops, both in text order."""
    moved, others = [op], list[AsyncOp]()
    for other in sorted(handle.enqueues, key=lambda e: e.order):
        if other is not op:
            follows = any(dep is e.token for e in moved for dep in other.deps[:1])
            (moved if follows else others).append(other)
    return moved, others


def _position(function: AsyncFunction, value: SSAValue) -> int:
    return function.order.get(value.owner, -1) if isinstance(value.owner, Operation) else -1


RULE = Rule("GA501", "serialized-fork", Severity.INFORMATION, check)
