"""Compares parameters of types that are kept as text the way that their dialects' parsers would."""

from __future__ import annotations

import re
from functools import lru_cache

_SPACES = re.compile(r'("(?:[^"\\]|\\.)*"?)|(?<=[\d?])\s*(x)\s+(?=[\w?])|\s+')
"""Matches spaces; the groups are a string and the `x` between two sizes, which are not removed."""
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|->|[<>]')
_WORD = re.compile(r"\w")


class SpacedText(str):
    """Text whose equality ignores spaces: `(4, 8) : (1, 4)` equals `(4,8):(1,4)`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and _without_spaces(str(self)) == _without_spaces(str(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_without_spaces(str(self)))


@lru_cache(maxsize=4_096)
def _without_spaces(text: str) -> str:
    def kept(match: re.Match[str]) -> str:
        parts_words = _WORD.match(text, match.end()) and _WORD.match(text, max(match.start() - 1, 0))
        return match[1] or match[2] or (" " if parts_words else "")

    return _SPACES.sub(kept, text)


def is_one_group(text: str) -> bool:
    """Return whether `text` is `<...>` and its first bracket matches its last."""
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += {"<": 1, ">": -1}.get(match[0], 0)
        if depth == 0:
            return text.startswith("<") and match.end() == len(text)
    return False
