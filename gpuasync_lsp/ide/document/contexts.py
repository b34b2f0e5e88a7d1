"""The contexts of a file's items, reused from the previous version for unchanged items.

An edit inside a function rarely changes the function's interface. If it does not, the contexts of the other
items are the same objects as before, and the next check skips items with an identical context.
"""

from __future__ import annotations

from gpuasync_lsp.analysis import FileContext, file_contexts
from gpuasync_lsp.analysis.model.context import contexts_after_edit
from gpuasync_lsp.syntax import Chunk, SourceFile

ChunkContexts = tuple[Chunk, tuple[FileContext, ...]]
"""A chunk, and the context of each of its items."""


class Contexts:
    """Computes the contexts for versions of one document."""

    def __init__(self, pipeline: tuple[str, ...] | None) -> None:
        self._pipeline = pipeline
        self._last: list[ChunkContexts] = []

    def copy(self) -> Contexts:
        """Return a copy that starts from the same version, for fixes of that version."""
        other = Contexts(self._pipeline)
        other._last = self._last
        return other

    def of(self, source: SourceFile) -> list[ChunkContexts]:
        """Return every chunk with the contexts of its items."""
        last = self._last
        found: list[ChunkContexts] = []
        for number, chunk in enumerate(source.chunks):
            known = last[number] if number < len(last) else None
            contexts = None if known is None else _after_edit(known, chunk)
            if contexts is None:
                contexts = tuple(context for _, context in file_contexts(chunk, self._pipeline))
            found.append((chunk, contexts))
        self._last = found
        return found


def _after_edit(known: ChunkContexts, chunk: Chunk) -> tuple[FileContext, ...] | None:
    """Return the contexts of `chunk`, updated from `known`, its previous version.

    None if the edit changes more than the inside of items; the caller then computes all contexts."""
    old, contexts = known
    if old is chunk:
        return contexts
    if (old.headers, old.prelude, len(old.items)) != (chunk.headers, chunk.prelude, len(chunk.items)):
        return None
    if old.in_dump != chunk.in_dump:
        return None
    if [part.kind for part in old.parts] != [part.kind for part in chunk.parts]:
        return None
    return contexts_after_edit(old.items, contexts, chunk)
