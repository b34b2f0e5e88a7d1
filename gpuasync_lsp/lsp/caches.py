"""The bounded caches of a session's answers; closing a document drops the document's entries.

`docs/scheduling.md` contains a table of all caches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpuasync_lsp.text.recent import Recent


@dataclass(frozen=True, slots=True)
class Caches:
    """The caches of one session."""

    tokens: Recent[tuple[str, list[Any]]] = field(default_factory=lambda: Recent(32))
    """Maps a result id, the base of a delta, to the document's URI and the tokens sent for each piece of an
    item."""
    symbols: Recent[tuple[str, list[Any]]] = field(default_factory=lambda: Recent(50_000))
    """Maps the URI of a file that is not open to its text's digest and its outline; the limit counts
    symbols."""
    diagnostics: Recent[tuple[object, str, str]] = field(default_factory=lambda: Recent(4_000_000))
    """Maps a URI to its diagnostics' source, JSON list and result id; the limit counts characters."""
    previews: dict[str, Recent[str]] = field(default_factory=dict[str, Recent[str]])
    """Maps the URI of an open document to the virtual documents derived from it."""

    def show(self, uri: str, virtual: str) -> None:
        """Record that a virtual document is derived from the open document `uri`."""
        self.previews.setdefault(uri, Recent(8)).keep(virtual, virtual)

    def shown(self, uri: str) -> list[str]:
        """Return the virtual documents that are derived from `uri`."""
        known = self.previews.get(uri)
        return [] if known is None else known.values()

    def closed(self, uri: str) -> None:
        """Drop the virtual documents and semantic tokens of a closed document."""
        self.previews.pop(uri, None)
        self.tokens.forget_where(lambda value: value[0] == uri)
