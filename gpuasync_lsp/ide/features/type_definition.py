"""Go to the type definition of a value: its type's alias, `!buffer = memref<8xf32>`."""

from __future__ import annotations

import re

from gpuasync_lsp.ide.lookup.mentions import mention_at
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span


def type_definitions(source: SourceFile, offset: int) -> list[Span]:
    """Return the definitions of the aliases for the type of the value at `offset`."""
    placed = source.item_at(offset)
    found = None if placed is None else mention_at(placed.item, offset - placed.offset)
    if found is None:
        return []
    chunk = source.chunk_at(offset)
    names = [name for name, type in chunk.aliases.items() if name[0] == "!" and type == found.value.type]
    return [
        Span(*match.span(1))
        for name in names
        if (match := _definition(name).search(source.text, chunk.span.start, chunk.span.end)) is not None
    ]


def _definition(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*({re.escape(name)})[ \t]*=", re.MULTILINE)
