"""What a misspelt word may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

LONGEST = 80
"""Characters of a word that is guessed at: comparing takes as long as the square of the length."""
MOST = 200
"""Words that one is compared with: those of most alike length."""


def closest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the word of `known` that is spelt most like `word`, None where none is at least `cutoff` alike.

    `cutoff` is a ratio of 0 to 1 as difflib counts it.
    """
    if len(word) > LONGEST:
        return None
    from difflib import get_close_matches  # not needed before somebody misspells something

    candidates = sorted(other for other in known if other != word and len(other) <= 2 * LONGEST)
    if len(candidates) > MOST:
        candidates = nsmallest(MOST, candidates, key=lambda other: abs(len(other) - len(word)))
    found = get_close_matches(word, candidates, 1, cutoff)
    return found[0] if found else None


class Guesses:
    """Some guesses, for a text that may have more to guess than anybody reads."""

    MOST = 50

    def __init__(self) -> None:
        self._left = self.MOST

    def closest(self, word: str, known: Iterable[str]) -> str | None:
        """Return what `closest` finds, None once enough has been guessed."""
        if not self._left:
            return None
        self._left -= 1
        return closest(word, known)
