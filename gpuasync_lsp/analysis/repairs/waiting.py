"""Repairs across blocks: an additional event makes the host wait for the first of two accesses.

`gpu.wait async [%t]` records an event after the op of %t and makes a new stream wait on it. A blocking wait
on the new stream does not destroy the stream of %t, so the new wait may be in loops and branches, and the
existing wait on %t remains. The wait is inserted at the end of the block that defines %t if the second access
precedes the first in the text (around a loop), or if %t does not dominate the second access.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Kind, Race
from gpuasync_lsp.analysis.model.passing import LOOPS
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.text import Fix, Safety


def wait_by_event(function: AsyncFunction, race: Race) -> Iterator[Fix]:
    """Yield the fix that makes the host wait between the two accesses, if there is one."""
    if (task := _task_of(race)) is not None:
        if _ends_with(function, task, race):
            yield from _await(function, task, race.second.op)
        return
    info = function.by_op.get(race.first.op)
    if info is None or info.token is None or reason(function, race):
        return
    place = _place(function, info.op, race.second.op)
    if place is None:
        return
    editor = Editor(function)
    done = editor.fresh("done")
    name = function.span_name(info.token)
    editor.before(place, f"{done} = gpu.wait async [{name}]", f"gpu.wait [{done}]")
    note = "the host waits there for an event; canonicalize turns it into a wait for the stream"
    yield Fix(f"Wait for {name} with an event", Safety.UNSAFE, editor.done(), note)


def reason(function: AsyncFunction, race: Race) -> str:
    """Return the reason why `wait_by_event` has no fix, to follow a colon; empty if it has one."""
    if (task := _task_of(race)) is not None:
        if not _ends_with(function, task, race):
            return "the work may outlive the async.execute"
        known = _is_before(function, task, race.second.op)
        return "" if known else "the token of the async.execute is not visible there"
    if _is_across_iterations(function, race):
        return "each iteration starts its own task, and the next iteration does not await it"
    info = function.by_op.get(race.first.op)
    if info is None:
        return "a call starts the work and returns no token for it"
    handle = function.tokens.get(info.token) if info.token is not None else None
    if handle is None or info.rejections:
        return "the work has no token"
    if handle.kind is Kind.NULL:
        return "the work is on the null stream; fix GA209 first"
    if handle.kind is not Kind.STREAM:
        return "which stream the work is on depends on the path"
    if not handle.waits and not handle.goes_on:
        return "nothing waits for the stream of that work; fix GA401 first"
    if any(fault.handle is handle for fault in function.faults):
        return "the stream of that work has another error; fix it first"
    return ""


def sentence_of(why: str) -> str:
    """Return the reason `why` as a sentence; empty for an empty reason."""
    return f" No automatic fix: {why}." if why else ""


def _task_of(race: Race) -> Operation | None:
    """Return the outermost async.execute that contains the first access but not the second."""
    around: set[Operation] = set()
    op: Operation | None = race.second.op
    while op is not None:
        around.add(op)
        op = op.parent_op()
    found: Operation | None = None
    op = race.first.op
    while op is not None and op not in around:
        if op.name == "async.execute":
            found = op
        op = op.parent_op()
    return found


def _is_across_iterations(function: AsyncFunction, race: Race) -> bool:
    """Return whether both accesses are in one async.execute that a loop runs repeatedly."""
    first, second = race.first.op, race.second.op
    if first.parent is second.parent and first is not second and function.is_before(first, second):
        return False
    op = second.parent_op()
    while op is not None and op.name != "async.execute":
        if op.name in LOOPS or op.name == "scf.while":
            return False
        op = op.parent_op()
    return op is not None and op.is_ancestor(first)


def _ends_with(function: AsyncFunction, task: Operation, race: Race) -> bool:
    """Return whether the end of `task` implies the end of the first access.

    It does not if the access is in a nested task, or on a stream that no op in `task` waits on."""
    inner: Operation | None = race.first.op
    while inner is not None and inner.name != "async.execute":
        inner = inner.parent_op()
    info = function.by_op.get(race.first.op)
    if inner is not task or (info is None and not race.first.host):
        return False
    handle = info.handle if info is not None else None
    body = task.regions[0].blocks[0] if task.regions and task.regions[0].blocks else None
    return handle is None or any(w.blocking and w.op.parent is body for w in handle.waits)


def _await(function: AsyncFunction, task: Operation, second: Operation) -> Iterator[Fix]:
    place = _place(function, task, second)
    if place is None or not task.results or not _is_before(function, task, second):
        return
    editor = Editor(function)
    name = function.span_name(task.results[0])
    editor.before(place, f"async.await {name} : !async.token")
    yield Fix(f"Await {name} first", Safety.UNSAFE, editor.done(), "the host waits there")


def _place(function: AsyncFunction, first: Operation, second: Operation) -> Operation | None:
    """Return the op before which to insert the wait: an op after `first`, in the same block."""
    around = _enclosing_in_block(first, second)
    if around is not None and around is not first and function.is_before(first, around):
        return around
    block = first.parent
    last = block.last_op if block is not None else None
    return last if last is not None and last is not first else None


def _enclosing_in_block(first: Operation, second: Operation) -> Operation | None:
    """Return `second`, or the op around it, that is in the block of `first`; None if there is none."""
    op: Operation | None = second
    while op is not None and op.parent is not first.parent:
        op = op.parent_op()
    return op


def _is_before(function: AsyncFunction, first: Operation, second: Operation) -> bool:
    around = _enclosing_in_block(first, second)
    return around is not None and around is not first and function.is_before(first, around)
