"""What the user looks at: while a document is read, this comes first."""

from __future__ import annotations

from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.text import Span

FIRST_LINES = 100
"""What a user sees of a document that was opened, as long as no request says otherwise."""

MOST_LOOKS = 8
"""Places of a document that are remembered as looked at."""


class Looks:
    """The places of each document that requests and edits were about, the newest last."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[Document, tuple[Span, ...]]] = {}

    def open(self, document: Document) -> None:
        """The top of a document is what is seen first."""
        starts = document.lines.starts
        first = starts[FIRST_LINES] if len(starts) > FIRST_LINES else len(document.text)
        self.add(document, Span(0, first))

    def add(self, document: Document, span: Span) -> None:
        """Remember that the user looks at `span`."""
        self._looks[document.uri] = document, (*self.at(document), span)[-MOST_LOOKS:]

    def at(self, document: Document) -> tuple[Span, ...]:
        """Return what was looked at in this very version of a document."""
        known = self._looks.get(document.uri)
        return known[1] if known is not None and known[0] is document else ()

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self._looks.pop(uri, None)
