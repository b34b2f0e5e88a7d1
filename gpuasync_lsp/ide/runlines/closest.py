"""The output line most similar to a failed check, as a hint about the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MOST_LINES = 2_000
"""The maximum number of lines that are compared."""
MOST_OF_LINE = 200
"""The maximum number of characters of a line that are compared and shown."""
_ENOUGH = 0.3
"""The minimum similarity of a useful hint."""
_BLOCK = re.compile(r"\{\{|\}\}|\[\[|\]\]")
_NAME = re.compile(r"%[\w$.#-]+")


def literal(check: str) -> str:
    """Return the literal text of a check, with blanks in place of regular expressions and variables."""
    parts: list[str] = []
    depth, at = 0, 0
    for found in _BLOCK.finditer(check):
        if depth == 0:
            parts.append(check[at : found.start()])
        depth = max(0, depth + (1 if found[0] in ("{{", "[[") else -1))
        at = found.end()
    if depth == 0:
        parts.append(check[at:])
    return " ".join(parts)


def closest(check: str, lines: Sequence[str], first: int = 0) -> int | None:
    """Return the index of the line, from `first` on, most similar to a check; None if none is similar."""
    wanted = _pairs(literal(check))
    if not wanted:
        return None
    best, at = _ENOUGH, None
    for number in range(first, min(len(lines), first + MOST_LINES)):
        found = _pairs(lines[number])
        total = wanted.total() + found.total()
        alike = 2 * (wanted & found).total() / total if total else 0.0
        if alike > best:
            best, at = alike, number
    return at


def _pairs(text: str) -> Counter[str]:
    """Return the pairs of adjacent characters of a line, except those in value names."""
    words = "".join(_NAME.sub("%", text[:MOST_OF_LINE]).split())
    return Counter(words[i : i + 2] for i in range(len(words) - 1))
