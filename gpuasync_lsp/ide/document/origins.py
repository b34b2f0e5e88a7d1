"""Source locations of ops: file, line and column in the program that generated them."""

from __future__ import annotations

import re
from pathlib import Path

from gpuasync_lsp.processes import may_ask_for
from gpuasync_lsp.syntax.attributes import TextLocation
from gpuasync_lsp.syntax.locations import file_places
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Loc
from gpuasync_lsp.text.cached_property import cached_property

_ALIAS = re.compile(r"^[ \t]*(#[A-Za-z_][\w.$-]*)[ \t]*=[ \t]*loc\((.*)\)[ \t]*$", re.MULTILINE)
_MOST_ALIASES = 100
"""The maximum number of aliases followed for one location, since each may name the next one twice."""
MOST = 8
"""The maximum number of calls shown of a chain of call sites."""


class Origins:
    """The locations in the `loc(...)` of a document's ops."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source

    def at(self, offset: int) -> tuple[Loc, ...]:
        """Return the location of the innermost op around `offset`, then its call sites; empty if it has
        none."""
        if "loc(" not in self._source.text:
            return ()
        placed = self._source.item_at(offset)
        if placed is None or not placed.item.is_read:
            return ()
        op = placed.item.spans.innermost(placed.item.ops, offset - placed.offset)
        location = None if op is None else op.location
        if not isinstance(location, TextLocation):
            return ()
        expansions = 0

        def alias(name: str) -> str:
            nonlocal expansions
            expansions += 1  # Nested aliases can expand exponentially.
            return self._named.get(name, "") if expansions <= _MOST_ALIASES else ""

        return tuple(file_places(location.text.data, alias)[:MOST])

    @cached_property
    def _named(self) -> dict[str, str]:
        return {match[1]: match[2] for match in _ALIAS.finditer(self._source.text)}


def described(places: tuple[Loc, ...]) -> str:
    """Format a location and its call sites in one line; empty without a location."""
    return ", called from ".join(map(str, places))


def named_file(name: str, folder: Path | None) -> Path | None:
    """Return the file that a location names, if it exists; a relative name is resolved in `folder`.

    For an untrusted folder, files outside of it are not accessed."""
    path = Path(name) if folder is None else folder / name
    return path if path.is_absolute() and may_ask_for(name) and path.is_file() else None
