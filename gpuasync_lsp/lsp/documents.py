"""The open documents, as the client sent them.

pygls keeps documents too, but mutates them in place and splits lines with `str.splitlines`, which also breaks
at form feeds and U+2028 and so shifts all later positions. So the server keeps its own documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuasync_lsp.text import Encoding, LineIndex
from gpuasync_lsp.text.plain_json import Json
from gpuasync_lsp.text.recent import Recent


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one open document."""

    uri: str
    version: int | None
    lines: LineIndex = field(repr=False)
    language: str = "mlir"

    @property
    def text(self) -> str:
        """The whole text of this version of the document."""
        return self.lines.text


class DocumentStore:
    """The open documents by URI; every change creates a new frozen `Document`."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        """The unit of columns in this session, as negotiated in `initialize`."""
        self._open: dict[str, Document] = {}
        self._closed: Recent[bool] = Recent(1_000)

    def __contains__(self, uri: str) -> bool:
        return uri in self._open

    def __iter__(self):
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """Return the newest version of an open document."""
        return self._open.get(uri)

    def open(self, item: Json) -> Document:
        """Add the document of a `TextDocumentItem`."""
        document = Document(
            item["uri"], item.get("version"), LineIndex(item["text"]), item.get("languageId", "mlir")
        )
        self._open[document.uri] = document
        return document

    def change(self, identifier: Json, changes: list[Json]) -> Document:
        """Apply the content changes of `didChange`, in order. Raises KeyError if the document is not open."""
        old = self._open[identifier["uri"]]
        lines = old.lines
        for change in changes:
            range_ = change.get("range")
            if range_ is None:
                lines = LineIndex(change["text"])
                continue
            start = lines.offset(range_["start"]["line"], range_["start"]["character"], self.encoding)
            end = lines.offset(range_["end"]["line"], range_["end"]["character"], self.encoding)
            lines = lines.edited(min(start, end), max(start, end), change["text"])
        document = Document(old.uri, identifier.get("version"), lines, old.language)
        self._open[old.uri] = document
        return document

    def close(self, uri: str) -> None:
        """Remove a document; no effect if it is not open."""
        if self._open.pop(uri, None) is not None:
            self._closed.keep(uri, True)

    def was_closed(self, uri: str) -> bool:
        """Return whether a document was closed recently."""
        return uri not in self._open and self._closed.get(uri) is not None
