"""The text of an item in pieces of some lines: an edit leaves most of them what they were.

What follows from the words of a piece alone is kept by its text. Where a text is cut depends on the lines
there and nothing else, so that the pieces before an edit and after it are the same strings as before.
"""

from __future__ import annotations

import re

from gpuasync_lsp.syntax.source import Item

_SHORT = 10_000
"""Characters of a text that is one piece."""
_ONE_IN = 32
"""One of so many lines begins a piece, by chance."""
_MOST = 512
"""Lines of a piece, where chance would make it longer; an edit moves all cuts after then."""
_BEGINS = re.compile(r"[ \t]*(?:%|[a-z_]\w*\.[a-z_])", re.ASCII)


def begins_statement(line: str) -> bool:
    """Return whether a line looks like the start of an op; pieces start at such lines."""
    return _BEGINS.match(line) is not None


def pieces(item: Item) -> list[str]:
    """Return the text of an item in pieces, which end with lines; made once for an item."""
    found: list[str] | None = item.memo.get("ide.pieces")
    if found is None:
        found = item.memo["ide.pieces"] = cut(item.text)
    return found


def cut(text: str) -> list[str]:
    """Return a text in pieces."""
    if len(text) <= _SHORT:
        return [text]
    lines = text.split("\n")
    found: list[str] = []
    begin = 0
    chosen = [number for number, line in enumerate(lines) if not hash(line) % _ONE_IN]
    for number in (*chosen, len(lines)):
        for start in (*range(begin + _MOST, number, _MOST), number):
            if start == len(lines):
                found.append("\n".join(lines[begin:]))
            elif start > begin and begins_statement(lines[start]):
                found.append("\n".join(lines[begin:start]) + "\n")
                begin = start
    return found
