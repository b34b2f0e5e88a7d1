"""Which sections of a large IR dump are read: the last one, and the one that the user looks at."""

from __future__ import annotations

from collections.abc import Sequence

from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span

_HEADER = "\n// -----// IR Dump "
"""How MLIR's pass manager begins a section. It begins a chunk, too (`// -----`)."""
LEAST_SECTIONS = 3
"""Sections from which on a large text is read by section."""


def is_dump(text: str) -> bool:
    """Return whether `text` has at least `LEAST_SECTIONS` headers of an IR dump at the beginning of lines."""
    at, left = -1, LEAST_SECTIONS
    if text.startswith(_HEADER[1:]):
        left -= 1
    while left and (at := text.find(_HEADER, at + 1)) >= 0:
        left -= 1
    return not left


def shown_sections(source: SourceFile, looked_at: Sequence[Span]) -> tuple[Span, ...]:
    """Return what to read: the last section that has anything, and that of the newest place looked at."""
    last = next((chunk.span for chunk in reversed(source.chunks) if chunk.items), source.chunks[-1].span)
    found = [last]
    if looked_at:
        start, end = looked_at[-1]
        found += (
            chunk.span
            for chunk in source.chunks
            if chunk.span.start <= end and start <= chunk.span.end and chunk.span != last
        )
    return tuple(found)
