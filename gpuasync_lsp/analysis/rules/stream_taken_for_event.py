"""A stream that gpu.wait treats as an event.

## What happens
gpu-to-llvm treats a token as a stream only if the op that defines it creates a stream, or forwards a known
stream from its dependency. A token that is a block argument, an scf result, the result of an arith.select, or
comes from another function is treated as an event: mgpuEventSynchronize and mgpuEventDestroy get a stream
pointer. The same holds for the token of each op that depends on such a token, although the op itself runs on
the right stream. mlir-opt exits with status 0, but the code is wrong: the host does not wait, and the stream
is never destroyed. Where possible, wait for the token of the op that created the stream. LLVM 22 and later
lower this correctly only if the block argument always has the same value and folds away. They also merge
identical blocks: if the blocks use different streams, a block argument replaces the streams.

A function argument is treated as a stream by an op that depends on it, and as an event by gpu.wait. This rule
reports an argument only if a caller in the file passes a stream, or if the function uses it as both.

## What it does not report
- An argument for which no caller in the file passes a stream, and which the function only waits for.
- Tokens of unknown ops and callees; tokens from async.execute, which GA205 reports.
- Functions with a syntax error.

## Example
```mlir
%t0 = gpu.wait async
%x = scf.if %cond -> (!gpu.async.token) {
  %a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
  scf.yield %a : !gpu.async.token
} else {
  scf.yield %t0 : !gpu.async.token
}
gpu.wait [%x]
```
Use instead:
```mlir
%t0 = gpu.wait async
%x = scf.if %cond -> (!gpu.async.token) {
  %a = gpu.memset async [%t0] %dst, %value : memref<4xf32>, f32
  gpu.wait [%a]
  scf.yield %a : !gpu.async.token
} else {
  gpu.wait [%t0]
  scf.yield %t0 : !gpu.async.token
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, Handle, Kind, Wait
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.analysis.repairs.dependencies import dominates, runs_once_for
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.repairs.waiting import sentence_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, defined_at, operand_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Fix, Related, Safety, Severity

_CAST = "builtin.unrealized_conversion_cast"
_POINTER = "it is cast from a pointer, which may be a stream"


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits on an opaque handle that is a stream on some path."""
    if not function.analyzed:
        return
    for wait in function.waits:
        handle = wait.handle
        if handle.kind is not Kind.OPAQUE or wait.op not in function.by_op or is_async_value(handle):
            continue
        if not function.is_reached(wait.op):
            continue
        why = _why(function, wait)
        if why is None:
            continue
        text, advice, related = why
        call = "mgpuEventSynchronize" if wait.blocking else "mgpuStreamWaitEvent"
        gets = "would get" if text is _POINTER else "gets"
        fixes = tuple(_fixes(function, wait))
        obstacle = "the pointer need not be a stream" if text is _POINTER else _obstacle(wait)
        yield Draft(
            operand_span(function, wait.op, wait.operand),
            f"{function.profile.label} treats {function.span_name(wait.value)} as an event, but {text}: "
            f"{call} {gets} a stream.\n"
            f"{advice}{'' if fixes else sentence_of(obstacle)}",
            (*related, *defined_at(function, handle.value, "treated as an event from here on")),
            fixes,
        )


def is_async_value(handle: Handle) -> bool:
    """Return whether the handle comes from an async.execute; GA205 reports one that is a stream."""
    owner = handle.value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        return parent is not None and parent.name == "async.execute"
    return owner.name == "async.await"


def _why(function: AsyncFunction, wait: Wait) -> tuple[str, str, tuple[Related, ...]] | None:
    """Return a description of the awaited value's actual kind, the advice, and related locations.

    Returns None if the kind is unknown."""
    handle = wait.handle
    owner = handle.value.owner
    if not isinstance(owner, Block) and owner not in function.spans.ops:
        return None  # The name is undefined: GA002 reports it.
    streams = [m for m in handle.members if isinstance(m, Handle) and m.kind is not Kind.NULL]
    if streams:
        first = min(streams, key=lambda h: h.index)
        text = "it is a stream" if len(handle.members) == 1 else "it may be a stream"
        advice = "Wait for the token of an op on that stream, or wait before the token is passed on."
        if handle.value in function.written:
            text = "it is a stream that becomes a block argument when identical blocks are merged"
            advice = "Wait for both streams in a single wait, or make the blocks differ."
        return text, advice, defined_at(function, first.value, "the stream is created here")
    if Origin.STREAM in handle.members and not isinstance(owner, Block) and owner.name == _CAST:
        advice = "If it is one, synchronize and destroy it where the pointer is created."
        return _POINTER, advice, ()
    if Origin.STREAM in handle.members:
        callee = None if isinstance(owner, Block) else callee_of(owner)
        if callee is not None:
            advice = "Wait for the stream in that function, and do not return its token."
            return f"{symbol_text(callee)} returns a stream", advice, ()
        if owner is not function.op.regions[0].blocks[0]:
            advice = "Wait for it where its stream is created, before it is passed on."
            return "it may be a stream from a caller or a callee", advice, ()
        advice = "Wait for the stream in the caller, before or after the call."
        return "a caller in this file passes a stream", advice, ()
    if Origin.UNKNOWN in handle.members and handle.enqueues:
        used = handle.enqueues[0]
        advice = "Wait for the stream in the caller, or pass the event as another argument."
        related = at_op(function, used.op, "used as a stream here")
        return "this function also uses it as a stream", advice, related
    return None


def _fixes(function: AsyncFunction, wait: Wait) -> Iterator[Fix]:
    yield from _wait_for_its_own_token(function, wait)
    yield from _wait_before_it_crosses(function, wait)


def _obstacle(wait: Wait) -> str:
    """Explain why no other wait can replace `wait`."""
    members = wait.handle.members
    if not all(isinstance(each, Handle) and each.kind in (Kind.STREAM, Kind.NULL) for each in members):
        return "the stream is created elsewhere and must be waited for there"
    if not wait.blocking:
        return "an async wait needs an event, and none is recorded where the token is passed on"
    return "its streams are not known at the wait on all paths, or other waits already cover them"


def _wait_for_its_own_token(function: AsyncFunction, wait: Wait) -> Iterator[Fix]:
    """Yield the fix that replaces the operand with tokens that gpu-to-llvm treats as streams.

    They must dominate the wait."""
    info = function.by_op[wait.op]
    streams = sorted(
        (m for m in wait.handle.members if isinstance(m, Handle) and m.kind is Kind.STREAM),
        key=lambda h: h.index,
    )
    if not wait.blocking or not streams or len(streams) != len(wait.handle.members):
        return
    if any(stream.waits or not dominates(function, stream.value, wait.op) for stream in streams):
        return
    if not all(runs_once_for(None if stream.op is None else stream.op.parent, wait.op) for stream in streams):
        return
    others = [other.handle for other in function.waits if other is not wait]
    if any(other is wait.handle or not set(streams).isdisjoint(other.members) for other in others):
        return
    # Only one wait may destroy a stream, and this wait may already have another token of the stream.
    taken = {function.tokens[dep] for dep in info.deps if dep is not wait.value}
    if taken & set(streams):
        return
    own = [function.span_name(stream.value) for stream in streams]
    listed = [function.span_name(dep) for dep in info.deps]
    editor = Editor(function)
    if not editor.dependencies(wait.op, [*listed[: wait.operand], *own, *listed[wait.operand + 1 :]]):
        return
    names, edits = ", ".join(own), editor.done()
    if len(streams) == 1:
        yield Fix(f"Wait for {names}, the token of this stream", Safety.SAFE, edits)
    else:
        reason = "the host waits for the streams of all paths"
        yield Fix(f"Wait for {names}, the tokens of these streams", Safety.UNSAFE, edits, reason)


def _wait_before_it_crosses(function: AsyncFunction, wait: Wait) -> Iterator[Fix]:
    """Yield the fix that waits before each op that forwards the token, if the token has no other use."""
    value = wait.handle.value
    passing = _passing(value)
    uses = list(value.uses)
    info = function.by_op[wait.op]
    if not passing or not wait.blocking or len(uses) != 1 or uses[0].operation is not wait.op:
        return
    given = [(op, function.tokens.get(v), v) for op, v in passing]
    order = function.order
    for op, handle, _ in given:
        if handle is None or handle.kind is not Kind.STREAM or handle.waits:
            return
        if order[op] >= order[wait.op]:  # In a loop, no point precedes the op.
            return
        if not runs_once_for(None if handle.op is None else handle.op.parent, op) or _continues_after(
            function, handle, given[-1][0]
        ):
            return
    # Identical blocks merge, so the waits in them would get a block argument again.
    shapes = [
        [other.name for other in op.parent.ops] for op, _ in passing if op.parent and op.name == "cf.br"
    ]
    if function.profile.greedy_prepass and any(shapes.count(shape) > 1 for shape in shapes):
        return
    editor = Editor(function)
    for op, _, token in given:
        editor.before(op, f"gpu.wait [{function.span_name(token)}]")
    if len(info.deps) == 1:
        editor.remove(wait.op)
    elif not editor.drop_dependency(wait.op, wait.operand):
        return
    reason = "the host waits earlier"
    yield Fix("Wait before the token is passed on", Safety.UNSAFE, editor.done(), reason)


def _continues_after(function: AsyncFunction, stream: Handle, last: Operation) -> bool:
    """Return whether an op on `stream` follows `last`, the last op that forwards the token.

    Ops on the stream before `last` are in different branches."""
    return any(function.order[each.op] > function.order[last] for each in stream.enqueues)


def _passing(value: SSAValue) -> list[tuple[Operation, SSAValue]]:
    """Return the terminators that forward an operand to `value`, each with this operand."""
    owner = value.owner
    found: list[tuple[Operation, SSAValue]] = []
    if isinstance(owner, Block):
        region = owner.parent
        if region is None or owner is region.blocks[0]:
            return []
        number = list(owner.args).index(value)  # pyright: ignore[reportArgumentType]
        for block in region.blocks:
            last = block.last_op
            if last is None or owner not in last.successors:
                continue
            if last.name != "cf.br" or number >= len(last.operands):
                return []
            found.append((last, last.operands[number]))
        return found
    if owner.name not in ("scf.if", "scf.execute_region", "scf.index_switch"):
        return []
    number = owner.results.index(value)  # pyright: ignore[reportArgumentType]
    for region in owner.regions:
        for block in region.blocks:
            last = block.last_op
            if last is not None and last.name == "scf.yield":
                found.append((last, last.operands[number]))
    return found


def versions(profile: Profile) -> str:
    """Describe the values that gpu-to-llvm folds."""
    return (
        "block arguments with a single value fold away"
        if profile.greedy_prepass
        else "no block argument folds away"
    )


RULE = Rule("GA203", "stream-taken-for-event", Severity.ERROR, check, versions=versions)
