"""Outlines a gpu.launch: its body becomes a kernel in a gpu.module after the function."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis import outline_launch as outline
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.syntax.dialects.gpu import LaunchOp
from gpuasync_lsp.text import Edit


def outline_launch(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for a gpu.launch whose body refers to no symbol."""
    if place.function is None or not isinstance(place.op, LaunchOp):
        return
    edits = outline(place.function, place.op)
    if edits is not None:
        yield "Outline the kernel", edits
