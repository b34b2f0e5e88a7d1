"""A string composed of pieces of a source string, with a mapping of positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from gpuasync_lsp.text import Edit, Finding, Fix, Related, Span


class Rope:
    """A string that joins pieces of a source string with line feeds."""

    def __init__(self, whole: str, pieces: Sequence[Span]) -> None:
        self.whole = whole
        self.pieces = tuple(pieces)
        self.text = "\n".join(whole[start:end] for start, end in self.pieces)
        self._starts = list(accumulate((end - start + 1 for start, end in self.pieces), initial=0))

    def at(self, offset: int) -> int:
        """Return the position in the source string for `offset` in this string."""
        if not self.pieces:
            return 0
        number = self.piece(offset)
        start, end = self.pieces[number]
        return min(start + offset - self._starts[number], end)

    def piece(self, offset: int) -> int:
        """Return the index of the piece that contains `offset`."""
        return max(0, min(bisect_right(self._starts, offset) - 1, len(self.pieces) - 1))

    def span(self, span: Span) -> Span:
        """Map `span` to a span of the source string."""
        start = self.at(span.start)
        return Span(start, max(start, self.at(span.end)))

    def finding(self, finding: Finding) -> Finding:
        """Return a finding in this string with its spans in the source string."""
        return replace(
            finding,
            span=self.span(finding.span),
            related=tuple(Related(self.span(r.span), r.message, r.within) for r in finding.related),
            fixes=tuple(
                Fix(
                    fix.title,
                    fix.safety,
                    tuple(Edit(self.span(edit.span), edit.text) for edit in fix.edits),
                    fix.reason,
                )
                for fix in finding.fixes
            ),
        )

    def replaced(self, span: Span, piece: Span) -> Rope:
        """Return this string with `span` replaced with `piece` of the source string."""
        pieces: list[Span] = []
        behind: list[Span] = []
        for old, start in zip(self.pieces, self._starts, strict=False):
            end = start + old.end - old.start
            if start < span.start:
                pieces.append(Span(old.start, old.start + min(span.start, end) - start))
            if end > span.end:
                behind.append(Span(old.start + max(span.end, start) - start, old.end))
        return Rope(self.whole, (*pieces, piece, *behind))
