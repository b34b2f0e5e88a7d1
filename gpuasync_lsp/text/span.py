"""Half-open ranges of code points, and locations in files."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """The code points from `start` (included) to `end` (excluded) of a document or of an item."""

    start: int
    end: int

    def shift(self, offset: int) -> Span:
        """Return this span moved by `offset` code points."""
        return Span(self.start + offset, self.end + offset)

    def cover(self, other: Span) -> Span:
        """Return the smallest span that contains this one and `other`."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def contains(self, offset: int) -> bool:
        """Return whether `offset` is inside the span or at its end: a cursor is between characters."""
        return self.start <= offset <= self.end

    def of(self, text: str) -> str:
        """Return the part of `text` that this span covers."""
        return text[self.start : self.end]


class Loc(NamedTuple):
    """A location in the source program, from an op's `loc(...)`; line and column are 1-based."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
