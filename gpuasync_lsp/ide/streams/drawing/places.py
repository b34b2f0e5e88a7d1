"""Converts locations in an item to locations in the whole text."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from gpuasync_lsp.analysis import AsyncFunction
from gpuasync_lsp.ide.streams.model import Place
from gpuasync_lsp.text import LineIndex, Span


@dataclass(frozen=True, slots=True)
class Places:
    """Converts spans and ops of an item to locations in the text; the item begins at `item_offset`."""

    function: AsyncFunction
    lines: LineIndex
    item_offset: int

    def of_op(self, op: Operation) -> Place:
        """Return the location of an op; for an implicit op, the beginning of the item."""
        spans = self.function.spans
        return self.of_span(spans.op(op) if op in spans.ops else Span(0, 0))

    def of_span(self, span: Span) -> Place:
        """Return the location of a span of the item."""
        absolute = span.shift(self.item_offset)
        return Place(absolute, *self.lines.position(absolute.start))
