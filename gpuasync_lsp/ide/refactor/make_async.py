"""Makes a synchronous gpu op async: on a new stream, with a wait directly after the op."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.text import Edit


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
