"""The parameters of types that are kept as text, compared as the parsers of their dialects would."""

from __future__ import annotations

import re
from functools import lru_cache

_DROPPED = re.compile(r'("(?:[^"\\]|\\.)*")|(?<!\w)\s+|\s+(?!\w)')
"""A string, which stays, or spaces that part no words."""


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
    return _DROPPED.sub(lambda match: match[1] or "", text)
