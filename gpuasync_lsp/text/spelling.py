"""Suggestions for misspelled words."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

LONGEST = 80
"""The maximum length of a word with suggestions, since comparison is quadratic in the length."""
MOST = 200
"""The maximum number of candidates that are compared with a word: those of the most similar length."""


def closest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the word in `known` that is most similar to `word`; None if no similarity reaches `cutoff`.

    `cutoff` is a difflib ratio, from 0 to 1.
    """
    if len(word) > LONGEST:
        return None
    from difflib import get_close_matches  # Needed only for misspelled names.

    candidates = sorted(other for other in known if other != word and len(other) <= 2 * LONGEST)
    if len(candidates) > MOST:
        candidates = nsmallest(MOST, candidates, key=lambda other: abs(len(other) - len(word)))
    found = get_close_matches(word, candidates, 1, cutoff)
    return found[0] if found else None


class Guesses:
    """Suggests words for one file, up to a limit: the file may have many misspelled words."""

    MOST = 50

    def __init__(self) -> None:
        self._left = self.MOST

    def closest(self, word: str, known: Iterable[str]) -> str | None:
        """Return what the function `closest` returns, or None once the limit is reached."""
        if not self._left:
            return None
        self._left -= 1
        return closest(word, known)
