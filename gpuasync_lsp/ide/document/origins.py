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
"""The most aliases that are followed for one place: each may name the next one twice."""
MOST = 8
"""The most calls shown of a chain of call sites."""


class Origins:
    """The locations that ops of one text have in their `loc(...)`."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source

    def at(self, offset: int) -> tuple[Loc, ...]:
        """Return the location of the innermost op around `offset`, then its call sites; empty without a
        location."""
        if "loc(" not in self._source.text:
            return ()
        placed = self._source.item_at(offset)
        if placed is None or not placed.item.is_read:
            return ()
        op = placed.item.spans.innermost(placed.item.ops, offset - placed.offset)
        location = None if op is None else op.location
        if not isinstance(location, TextLocation):
            return ()
        asked = 0

        def alias(name: str) -> str:
            nonlocal asked
            asked += 1  # aliases that name others twice would take forever
            return self._named.get(name, "") if asked <= _MOST_ALIASES else ""

        return tuple(file_places(location.text.data, alias)[:MOST])

    @cached_property
    def _named(self) -> dict[str, str]:
        return {match[1]: match[2] for match in _ALIAS.finditer(self._source.text)}


def described(places: tuple[Loc, ...]) -> str:
    """Format a location and its call sites in one line; empty for none."""
    return ", called from ".join(map(str, places))


def named_file(name: str, folder: Path | None) -> Path | None:
    """Return the file that a location names, if it exists; a relative name is resolved in `folder`.

    For an untrusted folder, files outside of it are not accessed."""
    path = Path(name) if folder is None else folder / name
    return path if path.is_absolute() and may_ask_for(name) and path.is_file() else None
