"""Reads the items of a large text one by one, those that somebody looks at first."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from gpuasync_lsp.ide.document.checker import touches
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem, SourceFile, read_item
from gpuasync_lsp.text import Span

STEP = 0.02
"""Seconds of a step. The last item that a step begins, it ends."""


class Reader:
    """Reads the items of a text that was cut."""

    def __init__(self, source: SourceFile) -> None:
        self._cut = source
        self._read: dict[Item, Item] = {}
        self._unread = list(reversed(list(source.unread)))
        """What is left to read, the next one last."""
        self._source: SourceFile | None = source
        self.size = sum(len(placed.item.text) for placed, _ in self._unread)
        """Characters that were to be read in the beginning."""
        self.is_of_many = len(self._unread) > 1
        """Whether more than one item was to be read."""
        self.near: Span | None = None
        """From the first to the last of what was read in order of nearness to what was looked at last."""

    @property
    def is_behind(self) -> bool:
        """Whether any item is not read yet."""
        return bool(self._unread)

    @property
    def source(self) -> SourceFile:
        """The text with what was read so far."""
        if self._source is None:
            self._source = self._cut.with_items(self._read)
        return self._source

    def look_at(self, spans: Sequence[Span]) -> None:
        """Read the items that touch `spans`, and what these name; put the others in order of nearness."""
        for placed, chunk in needed(self.source, spans):
            self._take(placed, chunk)
        self._unread = [entry for entry in self._unread if entry[0].item not in self._read]
        self._unread.sort(key=lambda entry: -distance(entry[0], spans[-1]))
        self.near = spans[-1]

    def leave_out_but(self, spans: Sequence[Span]) -> None:
        """Leave unread for good what neither touches `spans` nor is named there."""
        kept = needed(self.source, spans)
        self._unread = sorted(kept, key=lambda entry: -distance(entry[0], spans[-1]))

    def read_on(self) -> None:
        """Read the next items for the time of a step, but one at least."""
        end = perf_counter() + STEP
        while self._unread:
            placed, chunk = self._unread.pop()
            self._take(placed, chunk)
            if self.near is not None:
                self.near = self.near.cover(placed.span)
            if perf_counter() >= end:
                return

    def _take(self, placed: PlacedItem, chunk: Chunk) -> None:
        if placed.item not in self._read:
            self._read[placed.item] = read_item(placed.item, chunk, self._cut)
            self._source = None


def needed(source: SourceFile, spans: Sequence[Span]) -> list[tuple[PlacedItem, Chunk]]:
    """Return the unread items that touch `spans`, and those that may define what the items there name."""
    found: list[tuple[PlacedItem, Chunk]] = []
    for chunk in source.chunks:
        looked_at = [placed for placed in chunk.items if touches(placed, spans)]
        if not looked_at:
            continue
        named = frozenset[str]().union(*(placed.item.symbol_uses for placed in looked_at))
        for placed in chunk.items:
            item = placed.item
            if not item.is_read and (touches(placed, spans) or item.may_define(named)):
                found.append((placed, chunk))
    return found


def distance(placed: PlacedItem, span: Span) -> int:
    """Return how many code points are between an item and a span."""
    return max(placed.offset - span.end, span.start - placed.span.end, 0)
