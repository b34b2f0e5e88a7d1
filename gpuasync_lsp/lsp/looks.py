"""The ranges of each document that are visible in the editor, which are analyzed first."""

from __future__ import annotations

from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.text import Span

FIRST_LINES = 100
"""Lines assumed to be visible in an opened document, until a request or an edit names a position."""

MOST_LOOKS = 8
"""Maximum number of visible ranges stored per document."""


class Looks:
    """The positions of recent requests and edits per document, the newest last."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[Document, tuple[Span, ...]]] = {}

    def open(self, document: Document) -> None:
        """Assume that the top of the document is visible."""
        starts = document.lines.starts
        first = starts[FIRST_LINES] if len(starts) > FIRST_LINES else len(document.text)
        self.add(document, Span(0, first))

    def add(self, document: Document, span: Span) -> None:
        """Record that `span` is visible."""
        self._looks[document.uri] = document, (*self.at(document), span)[-MOST_LOOKS:]

    def at(self, document: Document) -> tuple[Span, ...]:
        """Return the visible ranges of this version of a document."""
        known = self._looks.get(document.uri)
        return known[1] if known is not None and known[0] is document else ()

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self._looks.pop(uri, None)
