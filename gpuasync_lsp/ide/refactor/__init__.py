"""Refactorings: changes to choose, of code that has no fault. One file each; `REFACTORINGS` is the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuasync_lsp.ide.actions import Action
from gpuasync_lsp.ide.refactor.form import convert_form
from gpuasync_lsp.ide.refactor.join_streams import join_streams
from gpuasync_lsp.ide.refactor.make_async import make_async
from gpuasync_lsp.ide.refactor.make_sync import make_sync
from gpuasync_lsp.ide.refactor.name_value import name_value
from gpuasync_lsp.ide.refactor.own_stream import own_stream
from gpuasync_lsp.ide.refactor.place import Place, place_at
from gpuasync_lsp.ide.state import FileState
from gpuasync_lsp.text import Edit, Span

REFACTORINGS: tuple[Callable[[Place], Iterator[tuple[str, tuple[Edit, ...]]]], ...] = (
    make_async,
    make_sync,
    own_stream,
    join_streams,
    name_value,
    convert_form,
)
"""Every refactoring: given a place, it yields titles and edits, relative to the item."""

REWRITE = "refactor.rewrite"


def refactorings(state: FileState, span: Span) -> Iterator[Action]:
    """Yield what can be done at the begin of `span`."""
    place = place_at(state, span.start)
    if place is None:
        return
    for refactoring in REFACTORINGS:
        for title, edits in refactoring(place):
            moved = tuple(edit.shift(place.placed.offset) for edit in edits)
            yield Action(title, REWRITE, lambda moved=moved: moved)
