"""How much the aliases of a text stand for: each may name the one before twice, and so double.

Parsed types and attributes are shared, but to hash, compare or print one takes as long as it is spelled out.
"""

from __future__ import annotations

import re

MOST_SPELLED_OUT = 20_000
"""Characters that an alias may always stand for; more up to `_TIMES` what the definitions so far have."""
_TIMES = 4
_NAME = re.compile(r"[!#][A-Za-z_][\w$.-]*")


class AliasSizes:
    """Compute the expanded size of each alias of a text, in characters, from one definition to the next."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._written = 0

    def define(self, name: str, text: str) -> bool:
        """Record the definition of alias `name`, which may use aliases; return False if it expands to too
        much."""
        self._written += len(text)
        size = len(text) + sum(self._sizes.get(found[0], 0) for found in _NAME.finditer(text))
        fits = size <= max(MOST_SPELLED_OUT, _TIMES * self._written)
        self._sizes[name] = size if fits else 0
        return fits
