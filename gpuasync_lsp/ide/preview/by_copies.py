"""Lowers a large file in copies of this process, each of which parses and lowers some functions.

This process parses the items that other items depend on, above all kernels. Each copy parses its functions
and the symbols that they use, and checks whether mlir-opt rejects the functions. Functions that no copy
lowers are parsed here.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from gpuasync_lsp.analysis import item_rejections
from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.ide.document.reader import Reader
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.preview.alone import is_alone
from gpuasync_lsp.ide.preview.page import Preview
from gpuasync_lsp.ide.preview.preview import preview
from gpuasync_lsp.ide.preview.view import View
from gpuasync_lsp.lowering.pipeline.item_by_item import NotRead
from gpuasync_lsp.syntax.source import Item, SourceFile, cut_source
from gpuasync_lsp.text import LineIndex


def functions_unread(lines: LineIndex, path: Path | None, resolver: SettingsResolver) -> FileState:
    """Return the state of a document in which functions that no other function needs are unread."""
    resolved = resolver.resolve(path, lines.text)
    source = cut_source(lines.text)
    others = {placed.item for placed, chunk in source.unread if not is_alone(placed.item, chunk)}
    source, checker = _with(source, others), Checker(resolved)
    return FileState(lines, path, resolved, source, checker, (), checker.contexts.of(source))


def by_copies(state: FileState, view: View) -> Preview | None:
    """Return the lowering of a document with unread functions, computed in `view.processes` processes.

    Returns None if everything has to be read in this process. Raises ChildProcessError if a copy ends early.
    """
    if any(step.name == "symbol-dce" for step in view.pipeline.steps):
        return None
    view = replace(view, reading=_Reading(state))
    while True:
        try:
            return preview(state, view=view, repeats=False)
        except NotRead as left:
            if not left.items:
                return None
            source = _with(state.source, left.items)
            state = replace(state, source=source, chunk_contexts=state.checker.contexts.of(source))


def _with(source: SourceFile, items: Set[Item]) -> SourceFile:
    """Return a document in which `items`, and the items that they refer to, are read."""
    reader = Reader(source)
    reader.leave_out_but([placed.span for placed in source.items if placed.item in items])
    while reader.is_incomplete:
        reader.read_on()
    return reader.source


class _Reading:
    """Reads functions, batch by batch, in the process that lowers the functions."""

    def __init__(self, state: FileState) -> None:
        self._state = state
        self._read: dict[Item, Item] = {}

    def begin(self, batch: Sequence[Item]) -> None:
        """Read the unread items of a batch, and the items that they refer to; drop the previous batch."""
        unread = {item for item in batch if not item.is_read}
        source = _with(self._state.source, unread) if unread else self._state.source
        resolved = self._state.resolved
        self._read.clear()
        for before, (chunk, contexts) in zip(
            self._state.source.chunks, Checker(resolved).contexts.of(source) if unread else (), strict=False
        ):
            for (item, _), placed, context in zip(before.items, chunk.items, contexts, strict=True):
                if item in unread and not item_rejections(placed.item, context, resolved.target.version):
                    self._read[item] = placed.item

    def __call__(self, item: Item) -> Item | None:
        """Return an item of the batch with its ops; None if mlir-opt rejects it."""
        return item if item.is_read else self._read.get(item)
