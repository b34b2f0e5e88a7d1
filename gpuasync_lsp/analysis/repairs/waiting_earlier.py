"""Repairs of premature host accesses: an earlier or additional wait on the stream of the first access."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, Kind, Race
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.text import Fix, Safety


def wait_earlier(function: AsyncFunction, race: Race) -> Iterator[Fix]:
    """Yield the fix that waits before the host's access or call, if there is no later work on the stream."""
    handle, host = race.first.handle, race.second.op
    if handle is None or handle.kind is not Kind.STREAM or race.path or len(handle.waits) > 1:
        return
    if any(e.op.parent is not host.parent or not function.is_before(e.op, host) for e in handle.enqueues):
        return
    editor, title = Editor(function), f"Wait before the {host.name}"
    if not handle.waits:
        tokens = [e.token for e in handle.enqueues if e.token is not None]
        if handle.goes_on or not tokens:
            return
        editor.before(host, f"gpu.wait [{function.span_name(tokens[-1])}]")
        yield Fix(title, Safety.UNSAFE, editor.done(), "the host waits there")
        return
    wait = handle.waits[0]
    info = function.by_op.get(wait.op)
    if info is None or not wait.blocking or wait.op.parent is not host.parent:
        return
    if not function.is_before(host, wait.op):
        return
    editor.before(host, f"gpu.wait [{function.span_name(wait.value)}]")
    if len(info.deps) == 1:
        editor.remove(wait.op)
    elif not editor.drop_dependency(wait.op, wait.operand):
        return
    yield Fix(title, Safety.UNSAFE, editor.done(), "the host waits earlier")
