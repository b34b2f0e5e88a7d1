"""Makes a synchronous gpu op async, or an async one synchronous.

`make_async` puts the op on a new stream, with a wait directly after it. `make_sync` lets the host first wait
for the op's dependencies, and removes the op's token from later waits. It is offered if only blocking waits
use the token, and no op follows on the op's stream, because such an op would lose its dependency, or its
stream, which the new wait destroys. The target must lower the synchronous form.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from gpuasync_lsp.analysis import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.preconditions import lowers_synchronously
from gpuasync_lsp.text import Edit


def _is_needed_later(function: AsyncFunction, op: AsyncOp, dep: SSAValue) -> bool:
    """Return whether another op uses the stream of `dep` after `op`, apart from waits on `op`'s own token."""
    handle = function.handle(dep)
    if handle is None or handle.goes_on:
        return True
    used = (*handle.enqueues, *handle.joins)
    return any(other.order > op.order for other in used) or any(w.value is not op.token for w in handle.waits)


def make_sync(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for an async op whose token only blocking waits use."""
    info, function = place.info, place.function
    if info is None or function is None or info.token is None or info.name == "gpu.wait":
        return
    if not (place.makes_async or lowers_synchronously(info.name, place.profile)):
        return  # The target would leave the op unlowered.
    users = [use.operation for use in info.token.uses]
    if any(user.name != "gpu.wait" or user.results for user in users):
        return
    spans = function.spans
    names = [spans.value_name(dep) for dep in info.deps]
    editor = Editor(function)
    if any(_is_needed_later(function, info, dep) for dep in info.deps):
        return
    if names:
        editor.before(info.op, f"gpu.wait [{', '.join(dict.fromkeys(names))}]")
    if not editor.keywords(info.op, False, []):
        return
    editor.drop_token(info.op)
    for user in dict.fromkeys(users):
        others = [spans.value_name(v) for v in user.operands if v is not info.token]
        if others:
            editor.dependencies(user, others)
        else:
            editor.remove(user)
    yield f"Make this {info.name} synchronous", editor.done()


def make_async(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for a sync op without dependencies."""
    info, function = place.info, place.function
    if info is None or function is None or info.token is not None or info.deps or info.name == "gpu.wait":
        return
    # An op with an explicit stream, and an op that is always synchronous, have no async form.
    if "hostShared" in info.op.properties or getattr(info.op, "async_object", None) is not None:
        return
    editor = Editor(function)
    stream = editor.fresh("stream")
    editor.before(info.op, f"{stream} = gpu.wait async")
    if not editor.keywords(info.op, True, [stream]):
        return
    token = editor.name_result(info.op, "token")
    editor.after(info.op, f"gpu.wait [{token}]")
    yield f"Make this {info.name} async", editor.done()
