"""Refactorings: optional changes to code that is already correct.

One module each; `REFACTORINGS` is the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuasync_lsp.analysis import start_of
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.actions import Action
from gpuasync_lsp.ide.refactor.asynchrony import make_async, make_sync
from gpuasync_lsp.ide.refactor.form import convert_form
from gpuasync_lsp.ide.refactor.kernels import extract_kernel, outline_launch
from gpuasync_lsp.ide.refactor.name_value import name_value
from gpuasync_lsp.ide.refactor.place import Place, place_at
from gpuasync_lsp.ide.refactor.streams import join_streams, own_stream
from gpuasync_lsp.text import Edit, Span, gathered
from gpuasync_lsp.text.defects import one_by_one

REWRITE = "refactor.rewrite"
EXTRACT = "refactor.extract"

REFACTORINGS: tuple[tuple[Callable[[Place], Iterator[tuple[str, tuple[Edit, ...]]]], str], ...] = (
    (make_async, REWRITE),
    (make_sync, REWRITE),
    (own_stream, REWRITE),
    (join_streams, REWRITE),
    (outline_launch, REWRITE),
    (extract_kernel, EXTRACT),
    (name_value, REWRITE),
    (convert_form, REWRITE),
)
"""Every refactoring and its kind. A refactoring yields titles and edits relative to the item."""


def refactorings(state: FileState, span: Span) -> Iterator[Action]:
    """Yield the refactorings of the op at the start of `span`, or of the selected ops."""
    place = place_at(state, span)
    if place is None:
        return
    start = start_of(state.source.chunk_at(place.placed.offset), place.placed)

    def offered(
        entry: tuple[Callable[[Place], Iterator[tuple[str, tuple[Edit, ...]]]], str],
    ) -> Iterator[Action]:
        refactoring, kind = entry
        for title, edits in refactoring(place):
            moved = tuple(edit.shift(place.placed.offset) for edit in gathered(edits, start))
            yield Action(title, kind, lambda moved=moved: moved)

    yield from one_by_one("a refactoring", REFACTORINGS, offered)
