"""Reads the items of a large document incrementally, visible ones first."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from gpuasync_lsp.ide.document.checker import touches
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem, SourceFile, read_item
from gpuasync_lsp.text import Span

STEP = 0.02
"""The duration of a step in seconds; a step may exceed it to finish its last item."""


class Reader:
    """Reads the items of a document that has been split."""

    def __init__(self, source: SourceFile) -> None:
        self._cut = source
        self._read: dict[Item, Item] = {}
        self._unread = list(reversed(list(source.unread)))
        """The unread items; the next one is last."""
        self._source: SourceFile | None = source
        self.size = sum(len(placed.item.text) for placed, _ in self._unread)
        """The total number of characters of the items that are unread at the start."""
        self.is_of_many = len(self._unread) > 1
        """Whether there was more than one item to read at the start."""
        self.near: Span | None = None
        """The visible span, extended by the nearby items read since; None if nothing is visible."""

    @property
    def is_incomplete(self) -> bool:
        """Whether any item is unread."""
        return bool(self._unread)

    @property
    def source(self) -> SourceFile:
        """The text with the items read so far."""
        if self._source is None:
            self._source = self._cut.with_items(self._read)
        return self._source

    def look_at(self, spans: Sequence[Span]) -> None:
        """Read the items that touch `spans`, and those that they refer to; sort the others by distance."""
        for placed, chunk in needed(self.source, spans):
            self._take(placed, chunk)
        self._unread = [entry for entry in self._unread if entry[0].item not in self._read]
        self._unread.sort(key=lambda entry: -distance(entry[0], spans[-1]))
        self.near = spans[-1]

    def leave_out_but(self, spans: Sequence[Span]) -> None:
        """Drop all unread items except those that touch `spans` or are referred to there."""
        kept = needed(self.source, spans)
        self._unread = sorted(kept, key=lambda entry: -distance(entry[0], spans[-1]))

    def read_on(self) -> None:
        """Read further items for the duration of a step, but at least one."""
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
    """Return the unread items that touch `spans`, and those that may define symbols used there."""
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
    """Return the distance between an item and a span in code points."""
    return max(placed.offset - span.end, span.start - placed.span.end, 0)
