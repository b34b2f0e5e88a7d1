"""Refactorings of streams: split one, or join several.

`own_stream` moves an op, and the ops that follow it on its token chain, to a new stream. `join_streams` joins
the streams of an op's dependencies into one before the op; the last wait then destroys all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis import Kind, can_join, fork, join
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.text import Edit


def own_stream(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for an async op with one dependency, on a stream that also has independent work."""
    info, function = place.info, place.function
    if info is None or function is None or info.token is None or len(info.deps) != 1 or not info.lowers:
        return
    handle = function.handle(info.deps[0])
    if info.name == "gpu.wait" or handle is None or handle.kind is not Kind.STREAM:
        return
    edits = fork(function, info)
    if edits is not None:
        yield "Split into two streams: run this on a new one", edits


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
