"""The line of an output that is most like a check, for who looks for why it did not match."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MOST_LINES = 2_000
"""Lines that are looked at."""
_MOST_OF_LINE = 200
_ENOUGH = 0.3
"""What is less alike is nothing that was meant."""
_BLOCK = re.compile(r"\{\{|\}\}|\[\[|\]\]")
_NAME = re.compile(r"%[\w$.#-]+")


def literal(check: str) -> str:
    """Return the text of a check without regular expressions and variables, which become blanks."""
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
    """Return which of `lines`, from `first` on, is most like the text of a check; None if none is."""
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
    """Return the pairs of neighbouring characters of a line: those of names do not count."""
    words = "".join(_NAME.sub("%", text[:_MOST_OF_LINE]).split())
    return Counter(words[i : i + 2] for i in range(len(words) - 1))
