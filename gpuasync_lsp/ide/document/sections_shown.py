"""The sections of a large IR dump to parse: the last one, and the visible one."""

from __future__ import annotations

from collections.abc import Sequence

from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span

_HEADER = "\n// -----// IR Dump "
"""The beginning of a section header from MLIR's pass manager. Its `// -----//` also begins a chunk."""
LEAST_SECTIONS = 3
"""A large document with at least this number of sections is read section by section."""


def is_dump(text: str) -> bool:
    """Return whether `text` has at least `LEAST_SECTIONS` IR dump headers at the beginning of lines."""
    at, left = -1, LEAST_SECTIONS
    if text.startswith(_HEADER[1:]):
        left -= 1
    while left and (at := text.find(_HEADER, at + 1)) >= 0:
        left -= 1
    return not left


def shown_sections(source: SourceFile, looked_at: Sequence[Span]) -> tuple[Span, ...]:
    """Return the sections to read: the last non-empty one, and the most recently visible one."""
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
