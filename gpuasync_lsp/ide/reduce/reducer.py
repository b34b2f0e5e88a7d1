"""Delta debugging: removes parts of a program, the largest groups first, while a test passes.

A. Zeller, R. Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TypeVar

from gpuasync_lsp.ide.reduce import cuts, elements, results
from gpuasync_lsp.syntax import parse_source

T = TypeVar("T")

_SHORTER = (
    cuts.unwrapped,
    results.fewer_results,
    cuts.shorter_lists,
    cuts.smaller_shapes,
    elements.simpler_types,
)


class Reducer:
    """Reduces one program; `best` is the smallest version so far that passes the test."""

    def __init__(
        self,
        text: str,
        is_interesting: Callable[[str], bool],
        seconds: float,
        on_attempt: Callable[[int, int], None] = lambda tried, size: None,
    ) -> None:
        """`is_interesting` returns whether a version passes the test.

        After each attempt, `on_attempt` gets the number of attempts and the length of the best version."""
        self.best = text
        self.tried = 0
        self.is_done = False
        """Whether the reduction ended because nothing more can be removed. False if the time ran out."""
        self._is_interesting = is_interesting
        self._end = monotonic() + seconds
        self._on_attempt = on_attempt
        self._known: set[int] = set()

    def run(self) -> str:
        """Reduce until nothing more can be removed or the time runs out; return the best version."""
        while not self._is_late:
            before = self.best
            any(self._try(part) for part in cuts.parts(self.best))
            self._try(cuts.without_comments(self.best))
            self._leave_out_items()
            self._leave_out_ops()
            self._flatten()
            self._leave_out_elements()
            for shorter in _SHORTER:
                while any(self._try(text) for text in shorter(self.best)):
                    pass
            if self.best == before:
                self.is_done = True
                break
        return self.best

    @property
    def _is_late(self) -> bool:
        return monotonic() >= self._end

    def _try(self, text: str | None) -> bool:
        if text is None or text == self.best or self._is_late or hash(text) in self._known:
            return False
        self._known.add(hash(text))
        self.tried += 1
        works = self._is_interesting(text)
        if works:
            self.best = text
        self._on_attempt(self.tried, len(self.best))
        return works

    def _leave_out_items(self) -> None:
        self._in_groups(
            lambda: cuts.items(parse_source(self.best)), lambda group: cuts.without(self.best, group)
        )

    def _leave_out_ops(self) -> None:
        self._in_groups(
            lambda: cuts.ops(parse_source(self.best)), lambda group: cuts.without_ops(self.best, group)
        )

    def _leave_out_elements(self) -> None:
        self._in_groups(
            lambda: elements.removals(parse_source(self.best)),
            lambda group: elements.without_elements(self.best, group),
        )

    def _in_groups(
        self, all_of: Callable[[], Sequence[T]], without: Callable[[Sequence[T]], str | None]
    ) -> None:
        """Remove groups of elements, at first half of all, then smaller and smaller groups."""
        found = all_of()
        size = len(found)
        while size and not self._is_late:
            at = 0
            while at < len(found) and not self._is_late:
                if self._try(without(found[at : at + size])):
                    # The spans of the remaining elements have changed; the elements before `at` were already
                    # tried.
                    found = all_of()
                else:
                    at += size
            size = 0 if size == 1 else (size + 1) // 2

    def _flatten(self) -> None:
        number = 0
        while not self._is_late:
            found = cuts.ops(parse_source(self.best))
            if number >= len(found):
                return
            if not self._try(cuts.flattened(self.best, found[number])):
                number += 1
