"""Splits the text of an item into pieces of a few lines, so that an edit leaves most pieces unchanged.

Results that depend only on the words of a piece are memoized by its text. The cuts depend only on nearby
lines, so an edit does not move distant ones.
"""

from __future__ import annotations

import re

from gpuasync_lsp.syntax.source import Item

_SHORT = 10_000
"""The maximum number of characters of an item that remains a single piece."""
_ONE_IN = 32
"""On average, a piece begins at one in this number of lines, selected by a hash of the line."""
_MOST = 512
"""The maximum number of lines of a piece. An edit moves the cuts at this limit, up to the next hashed cut."""
_BEGINS = re.compile(r"[ \t]*(?:%|[a-z_]\w*\.[a-z_])", re.ASCII)


def begins_statement(line: str) -> bool:
    """Return whether a line looks like the start of an op; pieces start at such lines."""
    return _BEGINS.match(line) is not None


def pieces(item: Item) -> list[str]:
    """Return the pieces of an item's text, which end at line ends; memoized by item."""
    found: list[str] | None = item.memo.get("ide.pieces")
    if found is None:
        found = item.memo["ide.pieces"] = cut(item.text)
    return found


def cut(text: str) -> list[str]:
    """Split the text of an item into pieces."""
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
