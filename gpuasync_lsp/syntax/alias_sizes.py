"""The expanded size of a file's aliases: an alias that uses the previous one twice doubles its size.

Parsed types and attributes are shared, but hashing, comparing or printing one takes as long as its
expansion.
"""

from __future__ import annotations

import re

MOST_SPELLED_OUT = 20_000
"""The expanded size, in characters, up to which every alias is accepted.

A larger expansion is accepted up to `_TIMES` times the total length of the definitions so far."""
_TIMES = 4
_NAME = re.compile(r"[!#][A-Za-z_][\w$.-]*")


class AliasSizes:
    """Computes the expanded size of each alias in a file, in characters, as aliases are defined."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._written = 0

    def define(self, name: str, text: str) -> bool:
        """Record the definition of alias `name`, which may use aliases; return False if its expansion is
        too large."""
        self._written += len(text)
        size = len(text) + sum(self._sizes.get(found[0], 0) for found in _NAME.finditer(text))
        fits = size <= max(MOST_SPELLED_OUT, _TIMES * self._written)
        self._sizes[name] = size if fits else 0
        return fits
