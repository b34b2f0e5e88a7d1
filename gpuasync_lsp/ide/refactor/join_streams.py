"""Join the streams that an op depends on into one, by a `gpu.wait async` before it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.edits import Editor
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.text import Edit


def join_streams(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for an async op with several dependencies."""
    info, function = place.info, place.function
    if (
        info is None
        or function is None
        or info.token is None
        or len(info.deps) < 2
        or info.name == "gpu.wait"
    ):
        return
    names = list(dict.fromkeys(function.span_name(dep) for dep in info.deps))
    editor = Editor(function)
    joined = editor.fresh("joined")
    editor.before(info.op, f"{joined} = gpu.wait async [{', '.join(names)}]")
    if editor.dependencies(info.op, [joined]):
        yield "Join its dependencies into one stream", editor.done()
