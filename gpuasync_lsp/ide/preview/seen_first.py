"""The preview of the visible part, before the rest of a large file is lowered, or even read.

Functions that are not visible become placeholder lines. This is only done if each function is lowered
independently, in which case the visible functions look the same as in the whole preview, unless an error
elsewhere stops the lowering.
"""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from gpuasync_lsp.analysis import rejections
from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.checker import LARGE_ITEM, touches
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.preview.alone import is_alone
from gpuasync_lsp.ide.preview.by_items import Shown, by_items, for_file, is_function
from gpuasync_lsp.ide.preview.page import Note, Page, Preview
from gpuasync_lsp.ide.preview.view import View
from gpuasync_lsp.lowering.conversion.defects import InternalError, reporting_defects
from gpuasync_lsp.lowering.pipeline.item_by_item import NotRead
from gpuasync_lsp.lowering.pipeline.pipeline import TRANSLATIONS
from gpuasync_lsp.syntax.source import Chunk, Item
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.effort import TookTooLong, limited


def seen_first(
    state: FileState, seen: Span, view: View, llvm: int | None = None, cancel: Cancel | None = None
) -> Preview | None:
    """Return the preview of the items that touch `seen`, which must be read; other items may be unread.

    None if the result may differ from the whole preview, or if the whole preview is no more work.
    """
    if view.stage in TRANSLATIONS or state.shown is not None or len(state.text) <= LARGE_ITEM:
        return None
    later = [_later(chunk, seen) for chunk in state.source.chunks]
    if None in later or sum(len(item.text) for items in later for item in items or ()) <= LARGE_ITEM:
        return None
    view = for_file(view, state)
    if any(step.name == "symbol-dce" for step in view.pipeline.steps) and any(state.source.unread):
        return None
    version = llvm or state.resolved.target.version
    cancel = cancel or Cancel()
    page = Page(state, view.explained, "//", folds_descriptors=view.folds_descriptors)
    notes = [Note(remark, None) for remark in view.remarks]
    is_partial = False
    for chunk, items in zip(state.source.chunks, later, strict=True):
        cancel.check()
        shown = _lowered(state, chunk, items or frozenset(), view, version)
        if shown is None:
            return None
        page.add(shown.parts)
        notes += shown.notes
        is_partial |= shown.is_partial
    found = page.preview(notes, version, view.stage, str(view.pipeline))
    return replace(found, is_partial=is_partial)


def _later(chunk: Chunk, seen: Span) -> frozenset[Item] | None:
    """Return the functions that are not visible; None if the lowering may depend on unread functions."""
    others = [placed.item for placed in chunk.items if not touches(placed, (seen,))]
    if not all(item.is_read or is_alone(item, chunk) for item in others):
        return None
    return frozenset(filter(is_function, others))


def _lowered(state: FileState, chunk: Chunk, later: Set[Item], view: View, version: int) -> Shown | None:
    """Lower the visible part of a chunk; None if mlir-opt rejects that part, or text between items."""
    now = replace(chunk, items=tuple(placed for placed in chunk.items if placed.item not in later))
    if rejections(now, version, [(placed, state.contexts[placed.offset]) for placed in now.items]):
        return None
    with suppress(InternalError, NotRead, TookTooLong), limited(chunk.span.end - chunk.span.start):
        return reporting_defects(
            ModuleOp([]), view.stage, lambda: by_items(state, chunk, view, version, later), NotRead
        )
    return None
