"""The source span of each op, operand, result and block label."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, Block, Operation, SSAValue

from gpuasync_lsp.text import Span

ASYNC_PART = re.compile(r"\s*(async\b)?\s*(\[[^\]]*\])?")
"""Matches `async` and the dependencies, which follow an op's name."""
"""Matches `async` and the dependencies after an op's name."""


class OpSpans(NamedTuple):
    """The spans of one op: the whole op, its name, and its operands."""

    whole: Span
    name: Span
    operands: tuple[Span | None, ...]


class ValueSpan(NamedTuple):
    """The span of a value's definition, and the value's name in the text: `%0` or `%m#1`."""

    span: Span
    name: str


class SpanTable:
    """The spans of one item, relative to its text. Only the parser changes it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.used_as: dict[SSAValue, Attribute] = {}
        """Maps a value of unknown type to the type with which it is used; unknown if its uses disagree."""
        self.ops: dict[Operation, OpSpans] = {}
        self.values: dict[SSAValue, ValueSpan] = {}
        self.blocks: dict[Block, Span] = {}
        self.block_mentions: dict[tuple[Block, int], Span] = {}
        self._statements: dict[Block, list[Operation]] = {}

    @property
    def block_uses(self) -> list[tuple[Block, Span]]:
        """The uses of blocks as successors, each with its span."""
        return [(block, span) for (block, _), span in self.block_mentions.items()]

    def mention_block(self, block: Block, span: Span) -> None:
        """Record a use of `block` as a successor at `span`."""
        self.block_mentions[block, len(self.block_mentions)] = span

    def op(self, op: Operation) -> Span:
        """Return the span of `op` from its first result to its end."""
        return self.ops[op].whole

    def name(self, op: Operation) -> Span:
        """Return the span of the op's name in the text, including quotes."""
        return self.ops[op].name

    def operand(self, op: Operation, index: int) -> Span | None:
        """Return the span of the operand `index`; None if it is not in the text."""
        spans = self.ops.get(op)
        return spans.operands[index] if spans is not None and index < len(spans.operands) else None

    def result(self, value: SSAValue) -> Span | None:
        """Return the span that defines `value`, an op result or block argument; None if it is unnamed."""
        found = self.values.get(value)
        return None if found is None else found.span

    def value_name(self, value: SSAValue) -> str:
        """Return the name of `value` as it is spelled in operands (`%0`, `%m#1`); `<unnamed>` if it has
        none."""
        found = self.values.get(value)
        return "<unnamed>" if found is None else found.name

    def uses(self, value: SSAValue) -> list[Span]:
        """Return the spans of all uses of `value` as an operand, in text order."""
        spans = [self.operand(use.operation, use.index) for use in value.uses]
        return sorted(span for span in spans if span is not None)

    def statements(self, block: Block) -> Sequence[Operation]:
        """Return the ops of `block` in a list, which allows random access; memoized."""
        known = self._statements.get(block)
        if known is None:
            known = self._statements[block] = list(iter(block.ops))
        return known

    def innermost(self, ops: Sequence[Operation], offset: int) -> Operation | None:
        """Return the innermost op at `offset` among the adjacent `ops` and the ops nested in them.

        If two ops touch at `offset`, the later one is returned."""
        around = self.around(ops, offset)
        return around[-1] if around else None

    def innermost_of_each(
        self, ops: Sequence[Operation], offsets: Iterable[int]
    ) -> dict[int, Operation | None]:
        """Return the result of `innermost` per offset, in one traversal, since ops may be deeply nested."""
        found: dict[int, Operation | None] = {}
        around: list[Operation] = []
        left = sorted({*offsets}, reverse=True)

        def close(before: int) -> None:
            while around and self.op(around[-1]).end < before:
                around.pop()

        # The order of regions may differ from their order in the text.
        inner = (op for each in ops for op in each.walk() if op in self.ops)
        for op in sorted(inner, key=lambda op: (self.op(op).start, -self.op(op).end)):
            start = self.op(op).start
            while left and left[-1] < start:
                close(left[-1])
                found[left.pop()] = around[-1] if around else None
            close(start)
            around.append(op)
        for offset in reversed(left):
            close(offset)
            found[offset] = around[-1] if around else None
        return found

    def around(self, ops: Sequence[Operation], offset: int) -> list[Operation]:
        """Return the ops at `offset`, the outermost first; for `ops`, see `innermost`."""
        found: list[Operation] = []
        rows: Iterable[Sequence[Operation]] = (ops,)
        while here := [op for row in rows if (op := self._in_row(row, offset)) is not None]:
            found.append(max(here, key=lambda op: self.op(op).start))
            rows = map(self.statements, self.blocks_within(found[-1], Span(offset, offset)))
        return found

    def within(self, ops: Sequence[Operation], span: Span) -> Iterator[Operation]:
        """Yield the ops that overlap or touch `span`, outer ones first.

        Only the adjacent `ops` and the ops nested in them are considered."""

        for op in self.touching(ops, span)[0]:
            yield op
            for block in self.blocks_within(op, span):
                yield from self.within(self.statements(block), span)

    def touching(self, ops: Sequence[Operation], span: Span) -> tuple[Sequence[Operation], Operation | None]:
        """Return the ops among the adjacent `ops` that overlap or touch `span`, and the first op after
        them."""

        def start(op: Operation) -> int:
            return self.op(op).start

        try:
            first, last = bisect_left(ops, span.start, key=start), bisect_right(ops, span.end, key=start)
        except KeyError:  # Some of them have no span.
            ops = [op for op in ops if op in self.ops]
            first, last = bisect_left(ops, span.start, key=start), bisect_right(ops, span.end, key=start)
        shown = [op for op in ops[max(first - 1, 0) : last] if op in self.ops]
        if shown and self.op(shown[0]).end < span.start:
            shown = shown[1:]
        return shown, ops[last] if last < len(ops) else None

    def defined_by(self, op: Operation, span: Span) -> Iterator[SSAValue]:
        """Yield the results of `op`, and the arguments of those of its blocks that may overlap `span`."""
        yield from op.results
        for block in self.blocks_within(op, span):
            yield from block.args

    def blocks_within(self, op: Operation, span: Span) -> Iterator[Block]:
        """Yield the blocks of `op` that may overlap `span`."""
        for region in op.regions:
            blocks = list(region.blocks)
            if len(blocks) > 1 and all(block in self.blocks for block in blocks[1:]):
                first, last = (
                    bisect_right(blocks, place, 1, key=lambda block: self.blocks[block].start)
                    for place in span
                )
                # A position at the end of a label is considered inside the block.
                blocks = blocks[max(first - 1, 0) : last]
            yield from blocks

    def _in_row(self, row: Sequence[Operation], offset: int) -> Operation | None:
        here = self.touching(row, Span(offset, offset))[0]
        return here[-1] if here else None

    def block_label(self, block: Block) -> Span | None:
        """Return the span of the label of `block`; None for an entry block without a label."""
        return self.blocks.get(block)

    def deps(self, op: Operation) -> Span | None:
        """Return the span of the op's async dependencies, including the brackets; None if it has none."""
        spans = self.ops.get(op)
        match = None if spans is None else ASYNC_PART.match(self.text, spans.name.end, spans.whole.end)
        return Span(*match.span(2)) if match and match[2] else None

    def is_generic(self, op: Operation) -> bool:
        """Return whether the text spells `op` in generic form."""
        return op in self.ops and self.text.startswith('"', self.name(op).start)
