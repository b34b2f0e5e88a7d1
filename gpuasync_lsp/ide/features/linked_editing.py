"""Linked editing: typing in one occurrence of a local name changes all of them."""

from __future__ import annotations

from gpuasync_lsp.ide.lookup.entities import EntityKind, entity_at
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span

WORD_PATTERN = r"[%^][\w$.\-]+"
"""Matches the text that may be typed without ending the linked edit."""


def linked_spans(source: SourceFile, offset: int) -> list[Span]:
    """Return every occurrence of the value or block at `offset`; empty if there is only one."""
    entity = entity_at(source, offset)
    if entity is None or entity.kind not in (EntityKind.VALUE, EntityKind.BLOCK):
        return []
    # A name with two definitions denotes two entities, or will do so after the user renames one.
    if len(entity.definitions) != 1 or len(entity.occurrences) < 2:
        return []
    return [occurrence.span for occurrence in entity.occurrences]
