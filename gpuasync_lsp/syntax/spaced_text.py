"""The parameters of types that are kept as text, compared as the parsers of their dialects would."""

from __future__ import annotations

import re
from functools import lru_cache

_SPACES = re.compile(r'("(?:[^"\\]|\\.)*"?)|\s+')
"""A string, which stays, or spaces."""
_WORD = re.compile(r"\w")


class SpacedText(str):
    """A text that is equal to those that differ in spaces alone: `(4, 8) : (1, 4)` and `(4,8):(1,4)`."""

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
        return match[1] or (" " if parts_words else "")

    return _SPACES.sub(kept, text)
