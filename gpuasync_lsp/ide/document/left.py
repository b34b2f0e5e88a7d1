"""Findings of a text that are left while a statement of it is typed, and where they are now.

Most of them are nobody's concern between two keys but for where they stand. So they are moved when somebody
looks at them, and who has written them down before finds out what has moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from gpuasync_lsp.analysis import SAY_ERRORS
from gpuasync_lsp.syntax.spans import Move
from gpuasync_lsp.text import Finding, Span


class Left(Sequence[Finding]):
    """What is left of the findings `known` after an edit, and errors that came since, in text order."""

    def __init__(
        self,
        known: Sequence[Finding],
        memo: dict[Any, Any],
        extents: Sequence[tuple[int, int] | None],
        numbers: Sequence[int],
        move: Move,
        errors: Sequence[Finding] = (),
    ) -> None:
        self.known = known
        """The findings of the text before the edit."""
        self.memo = memo
        """What else is known of them."""
        self._extents = extents
        self.numbers = numbers
        """Which of `known` are left."""
        self.move = move
        """What the edit has moved. Nothing that is left is in its lines."""
        self.errors = errors

    @classmethod
    def after(cls, found: Sequence[Finding], move: Move, lines: Span, memo: dict[Any, Any]) -> Left:
        """Return what is left of `found` after an edit in `lines`: all but errors, and what is said or
        repaired in these. `memo` is that of the item before the edit."""
        if isinstance(found, Left) and lines.contains(found.move.edge + found.move.delta):
            # The edit goes on where the last one was: nothing that is left is in between.
            known, memo, extents, numbers = found.known, found.memo, found._extents, found.numbers
            lines = Span(found.before(lines.start), found.before(lines.end))
            move = Move(found.move.edge, found.move.delta + move.delta)
        else:
            known = tuple(found)
            extents = [finding.extent for finding in known]
            numbers = [
                number
                for number, finding in enumerate(known)
                if finding.code not in SAY_ERRORS and extents[number] is not None
            ]
            if isinstance(found, Left):
                memo = {}

        def is_near(number: int) -> bool:
            extent = extents[number]
            return (
                extent is not None
                and extent[0] <= lines.end
                and lines.start <= extent[1]
                and any(p.start <= lines.end and lines.start <= p.end for p in known[number].places)
            )

        return cls(known, memo, extents, [n for n in numbers if not is_near(n)], move)

    def beside(self, errors: Sequence[Finding]) -> Left:
        """Return the same with these errors."""
        ordered = sorted(errors, key=lambda f: (f.span, f.code))
        return Left(self.known, self.memo, self._extents, self.numbers, self.move, ordered)

    def before(self, offset: int) -> int:
        """Return where `offset` was in the text of `known`."""
        edge, delta = self.move
        return offset - delta if offset >= edge + delta else min(offset, edge)

    def is_split(self, number: int) -> bool:
        """Tell whether one of `known` has places on both sides of the edit."""
        extent = self._extents[number]
        return extent is None or extent[0] < self.move.edge <= extent[1]

    def is_behind(self, number: int) -> bool:
        """Tell whether all places of one of `known` are behind the edit."""
        extent = self._extents[number]
        return extent is not None and extent[0] >= self.move.edge

    def moved(self, number: int) -> Finding:
        """Return one of `known` where it is now."""
        edge, delta = self.move
        finding, extent = self.known[number], self._extents[number]
        return finding.behind(edge, delta) if delta and extent and extent[1] >= edge else finding

    def place(self, error: Finding) -> int:
        """Return how many of `numbers` stand in front of an error."""
        at = self.before(error.span.start)
        return bisect_left(self.numbers, at, key=lambda number: self.known[number].span.start)

    @cached_property
    def _made(self) -> tuple[Finding, ...]:
        moved = map(self.moved, self.numbers)
        return tuple(sorted((*moved, *self.errors), key=lambda f: (f.span, f.code)))

    def __len__(self) -> int:
        return len(self.numbers) + len(self.errors)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return self._made[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._made)
