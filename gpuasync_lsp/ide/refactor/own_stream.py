"""Split into two streams: put an op, and what follows from it, on a new stream behind its dependency."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis import Kind
from gpuasync_lsp.analysis.edits import Editor
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.text import Edit


def own_stream(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for an async op with one dependency that is a stream other work runs on, too."""
    info, function = place.info, place.function
    if (
        info is None
        or function is None
        or info.token is None
        or len(info.deps) != 1
        or info.name == "gpu.wait"
    ):
        return
    handle = function.handle(info.deps[0])
    if handle is None or handle.kind is not Kind.STREAM or len(handle.tokens) < 3:
        return
    editor = Editor(function)
    stream = editor.fresh("stream")
    editor.before(info.op, f"{stream} = gpu.wait async [{function.span_name(info.deps[0])}]")
    if editor.dependencies(info.op, [stream]):
        yield "Split into two streams: run this on a new one", editor.done()
