"""Joins the streams of an op's dependencies into a new one; the last wait also destroys the old streams."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis import can_join, join
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.text import Edit


def join_streams(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for an async op with several dependencies."""
    info, function = place.info, place.function
    if info is None or function is None or info.token is None or info.name == "gpu.wait":
        return
    deps = list(dict.fromkeys(info.deps))
    if len(deps) < 2 or not all(can_join(function, dep) for dep in deps):
        return
    editor = Editor(function)
    joined = join(function, editor, info, deps)
    if editor.dependencies(info.op, [joined]):
        yield "Join its dependencies into one stream", editor.done()
