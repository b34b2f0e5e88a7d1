"""Repairs of unordered accesses: the stream of the second access waits for an event after the first."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, Kind, Race
from gpuasync_lsp.analysis.model.passing import LOOPS
from gpuasync_lsp.analysis.repairs.dependencies import dominates
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.text import Fix, Safety


def order_after(function: AsyncFunction, race: Race) -> Iterator[Fix]:
    """Yield the fix that joins the first access's token into the stream of the second, if that suffices."""
    first, second = function.by_op.get(race.first.op), function.by_op.get(race.second.op)
    if first is None or second is None or first.token is None or second.token is None or race.path:
        return
    handle = second.handle
    if handle is None or handle.kind is not Kind.STREAM or len(second.deps) != 1 or second.rejections:
        return
    dep, token = second.deps[0], first.token
    if _is_repeated_apart(first.op, second.op):
        return  # The event is recorded once, but a join in a loop would destroy it in every iteration.
    source = function.tokens[token]
    if (
        source.kind is not Kind.STREAM
        or not dominates(function, token, second.op)
        or not dominates(function, dep, second.op)
    ):
        return
    waits = [w for w in handle.waits if w.blocking and w.op.parent is second.op.parent]
    later = [w for w in source.waits if w.blocking]
    if not waits or not later or function.order[later[0].op] < second.order:
        return
    old = function.span_name(dep)
    others = [e for e in handle.enqueues if e.order > second.order and function.tokens[e.deps[0]] is handle]
    if any(
        e.deps[0] is not second.token and not _descends(function, e.deps[0], second.token) for e in others
    ):
        return
    if waits[-1].value is not second.token and not _descends(function, waits[-1].value, second.token):
        return
    editor = Editor(function)
    joined = editor.fresh("join")
    editor.before(second.op, f"{joined} = gpu.wait async [{old}, {function.span_name(token)}]")
    if editor.dependencies(second.op, [joined]) and editor.add_dependencies(waits[-1].op, [old]):
        title = f"Order the {second.op.name} after {function.span_name(token)}"
        yield Fix(title, Safety.UNSAFE, editor.done(), "the two no longer run concurrently")


def _is_repeated_apart(first: Operation, second: Operation) -> bool:
    """Return whether `second` is in a loop that does not contain `first`."""
    op = second.parent_op()
    while op is not None and not op.is_ancestor(first):
        if op.name in LOOPS or op.name == "scf.while":
            return True
        op = op.parent_op()
    return False


def _descends(function: AsyncFunction, value: SSAValue, ancestor: SSAValue) -> bool:
    """Return whether the token `value` is `ancestor`, or derives from it via first dependencies."""
    while value is not ancestor:
        info = function.by_op.get(value.owner) if isinstance(value.owner, Operation) else None
        if info is None or not info.deps:
            return False
        value = info.deps[0]
    return True
