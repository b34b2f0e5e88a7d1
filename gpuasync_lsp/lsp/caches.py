"""What a session remembers of its answers, each with a limit; a document that is closed takes its part along.

`docs/scheduling.md` has a table of these and all other caches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpuasync_lsp.text.recent import Recent

MOST_TOKENS = 32
"""Answers of semantic tokens that a later answer may be a delta of."""

MOST_SYMBOLS = 50_000
"""Symbols of files that are not open."""

MOST_DIAGNOSTICS = 4_000_000
"""Characters of diagnostics of the files of the workspace."""

MOST_PREVIEWS = 8
"""Virtual documents of one document whose clients hear when it changes."""


@dataclass(frozen=True, slots=True)
class Caches:
    """The caches of one session."""

    tokens: Recent[tuple[str, list[Any]]] = field(default_factory=lambda: Recent(MOST_TOKENS))
    """By result id: the URI, and what was sent of each piece of an item."""
    symbols: Recent[tuple[str, list[Any]]] = field(default_factory=lambda: Recent(MOST_SYMBOLS))
    """By URI: the text's digest, and its outline."""
    diagnostics: Recent[tuple[object, str, str]] = field(default_factory=lambda: Recent(MOST_DIAGNOSTICS))
    """By URI: the source of the diagnostics, the JSON list, and its result id."""
    previews: dict[str, Recent[str]] = field(default_factory=dict[str, Recent[str]])
    """By the URI of an open document: the virtual documents that show something of it."""

    def show(self, uri: str, virtual: str) -> None:
        """Remember that the virtual document shows something of the open document `uri`."""
        self.previews.setdefault(uri, Recent(MOST_PREVIEWS)).keep(virtual, virtual)

    def shown(self, uri: str) -> list[str]:
        """Return the virtual documents that show something of `uri`."""
        known = self.previews.get(uri)
        return [] if known is None else known.values()

    def closed(self, uri: str) -> None:
        """Forget the diagnostics of a closed document."""
        self.previews.pop(uri, None)
        self.tokens.forget_where(lambda value: value[0] == uri)
