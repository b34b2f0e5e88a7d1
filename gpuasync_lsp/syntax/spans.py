"""Where in the text each op, operand, result and block label stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from typing import Any, NamedTuple, TypeVar, overload

from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from gpuasync_lsp.text import Span

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

_ASYNC = re.compile(r"\s*(async\b)?\s*(\[[^\]]*\])?")


class OpSpans(NamedTuple):
    """The places of one op."""

    whole: Span
    name: Span
    operands: tuple[Span | None, ...]


class ValueSpan(NamedTuple):
    """The place where a value is defined and the name it has in the text, `%0` or `%m#1`."""

    span: Span
    name: str


class Places(MutableMapping[K, V]):
    """A mapping whose spans move when the text in front of them grows or shrinks.

    A move costs nothing at first; an entry catches up when it is next looked at.
    """

    def __init__(self, table: SpanTable, moved: Callable[[V, Move], V]) -> None:
        self._table = table
        self._moved = moved
        self._entries: dict[K, tuple[int, V]] = {}

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[key] = (len(self._table.moves), value)

    def __getitem__(self, key: K) -> V:
        return self._caught_up(key, self._entries[key])

    @overload
    def get(self, key: K, default: None = None, /) -> V | None: ...
    @overload
    def get(self, key: K, default: V, /) -> V: ...
    @overload
    def get(self, key: K, default: D, /) -> V | D: ...
    def get(self, key: K, default: D | None = None, /) -> V | D | None:
        """Do what the method of all mappings does, in a third of the time: most places are asked for so."""
        entry = self._entries.get(key)
        return default if entry is None else self._caught_up(key, entry)

    def _caught_up(self, key: K, entry: tuple[int, V]) -> V:
        seen, value = entry
        moves = self._table.moves
        if seen < len(moves):
            for move in self._table.moves_since(seen):
                value = self._moved(value, move)
            self._entries[key] = (len(moves), value)
        return value

    def all(self) -> list[tuple[K, V]]:
        """Return all entries: what `items` gives, in half of the time."""
        count, moved, entries = len(self._table.moves), self._moved, self._entries
        for key, (seen, value) in [entry for entry in entries.items() if entry[1][0] < count]:
            for move in self._table.moves_since(seen):
                value = moved(value, move)
            entries[key] = (count, value)
        return [(key, value) for key, (_, value) in entries.items()]

    def unmoved(self) -> Iterator[tuple[K, V]]:
        """Yield all entries as they are, maybe in the places of an earlier text: that costs nothing."""
        return ((key, value) for key, (_, value) in self._entries.items())

    def __delitem__(self, key: K) -> None:
        del self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Move(NamedTuple):
    """What an edit did to the places behind it: those from `edge` on move by `delta`."""

    edge: int
    delta: int

    def span(self, span: Span) -> Span:
        """Return `span` after the edit; one that encloses the edge grows."""
        start, end = span
        edge, delta = self
        return Span(start + delta if start >= edge else start, end + delta if end >= edge else end)


def together(moves: Iterable[Move]) -> list[Move]:
    """Return what `moves` do in a row, with one move in the place of those that go on from each other.

    Where a move begins in what the one before has put in, all that is behind the first is behind both."""
    found: list[Move] = []
    for move in moves:
        if not move.delta:
            continue
        last = found[-1] if found else None
        if last is not None and last.edge <= move.edge <= last.edge + last.delta:
            found[-1] = Move(last.edge, last.delta + move.delta)
        else:
            found.append(move)
    return found


def _moved_op(spans: OpSpans, move: Move) -> OpSpans:
    (start, end), (first, last), operands = spans
    edge, delta = move
    if end < edge:
        return spans
    if start < edge:
        places = tuple(None if s is None else move.span(s) for s in operands)
        return OpSpans(move.span(spans.whole), move.span(spans.name), places)
    return OpSpans(
        Span(start + delta, end + delta),
        Span(first + delta, last + delta),
        tuple([None if s is None else Span(s[0] + delta, s[1] + delta) for s in operands]),
    )


def _moved_value(value: ValueSpan, move: Move) -> ValueSpan:
    return ValueSpan(move.span(value.span), value.name) if value.span.end >= move.edge else value


def _moved_span(span: Span, move: Move) -> Span:
    return move.span(span)


class SpanTable:
    """The spans of one item, relative to its text. Filled by the parser, read by everybody else."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.moves: list[Move] = []
        """The edits since the table was made; the mappings below apply them."""
        self.parts: list[Span] = []
        """For each of `moves`, the part of the text behind it in which statements were parsed again."""
        self.kept: dict[Any, Any] = {}
        """Results that others computed from places, by a key of theirs; they know of how many `moves`."""
        self._moves_since: dict[tuple[int, int], list[Move]] = {}
        self.used_as: dict[SSAValue, Attribute] = {}
        """The type that uses of a value of unknown type were read with, unknown if they disagree; for what
        edits have made a result of an error: the type that it had when the uses of it were read."""
        self.ops: Places[Operation, OpSpans] = Places(self, _moved_op)
        self.values: Places[SSAValue, ValueSpan] = Places(self, _moved_value)
        self.blocks: Places[Block, Span] = Places(self, _moved_span)
        self.block_mentions: Places[tuple[Block, int], Span] = Places(self, _moved_span)
        self._names: dict[Block, dict[str, tuple[SSAValue, ...]]] = {}
        self._statements: dict[Block, list[Operation]] = {}

    def moves_since(self, seen: int) -> Sequence[Move]:
        """Return what the moves behind the first `seen` do, in as few as can be."""
        key = seen, len(self.moves)
        known = self._moves_since.get(key)
        if known is None:
            if any(count != key[1] for _, count in [*self._moves_since][:1]):
                self._moves_since.clear()
            known = self._moves_since[key] = together(self.moves[seen:])
        return known

    def parsed_since(self, seen: int) -> list[Span]:
        """Return the parts of the text that were parsed again by the edits behind the first `seen`."""
        found: list[Span] = []
        for move, part in zip(self.moves[seen:], self.parts[seen:], strict=False):
            apart: list[Span] = []
            for other in map(move.span, found):
                if other.start <= part.end and part.start <= other.end:
                    part = part.cover(other)
                else:
                    apart.append(other)
            found = [*apart, part]
        return found

    @property
    def block_uses(self) -> list[tuple[Block, Span]]:
        """Every mention of a block as a successor."""
        return [(block, span) for (block, _), span in self.block_mentions.items()]

    def mention_block(self, block: Block, span: Span) -> None:
        """Record that `block` is named at `span`."""
        self.block_mentions[block, len(self.block_mentions)] = span

    def op(self, op: Operation) -> Span:
        """Return the text of `op` from its first result to its end."""
        return self.ops[op].whole

    def name(self, op: Operation) -> Span:
        """Return the op's name as written, quotes included."""
        return self.ops[op].name

    def operand(self, op: Operation, index: int) -> Span | None:
        """Return the mention of the operand `index`, or None where the text does not show it."""
        spans = self.ops.get(op)
        return spans.operands[index] if spans is not None and index < len(spans.operands) else None

    def result(self, value: SSAValue) -> Span | None:
        """Return the place that defines `value`, an op result or a block argument, if it is named."""
        found = self.values.get(value)
        return None if found is None else found.span

    def value_name(self, value: SSAValue) -> str:
        """Return the name of `value` as operands write it (`%0`, `%m#1`); `<unnamed>` if it has none."""
        found = self.values.get(value)
        return "<unnamed>" if found is None else found.name

    def uses(self, value: SSAValue) -> list[Span]:
        """Return every mention of `value` as an operand, in text order."""
        spans = [self.operand(use.operation, use.index) for use in value.uses]
        return sorted(span for span in spans if span is not None)

    def statements(self, block: Block) -> Sequence[Operation]:
        """Return the ops of `block`, to be looked up by number. Who changes them says so (`replaced`)."""
        known = self._statements.get(block)
        if known is None:
            known = self._statements[block] = list(iter(block.ops))
        return known

    def innermost(self, ops: Sequence[Operation], offset: int) -> Operation | None:
        """Return the innermost op whose text `offset` is in, of `ops`, which stand in a row, and those in
        them. Of two that touch, the one that begins there."""
        around = self.around(ops, offset)
        return around[-1] if around else None

    def around(self, ops: Sequence[Operation], offset: int) -> list[Operation]:
        """Return the ops whose text `offset` is in, the outermost first; see `innermost`."""
        found: list[Operation] = []
        rows: Iterable[Sequence[Operation]] = (ops,)
        while here := [op for row in rows if (op := self._in_row(row, offset)) is not None]:
            found.append(max(here, key=lambda op: self.op(op).start))
            rows = [self.statements(block) for region in found[-1].regions for block in region.blocks]
        return found

    def within(self, ops: Sequence[Operation], span: Span) -> Iterator[Operation]:
        """Yield the ops whose text has a place in common with `span`, or is at its edge, each before those in
        it; of `ops`, which stand in a row, and those in them."""

        for op in self.touching(ops, span)[0]:
            yield op
            for block in self.blocks_within(op, span):
                yield from self.within(self.statements(block), span)

    def touching(self, ops: Sequence[Operation], span: Span) -> tuple[Sequence[Operation], Operation | None]:
        """Return those of `ops`, which stand in a row, whose text has a place in common with `span`, or is at
        its edge, and the first one behind them."""

        def start(op: Operation) -> int:
            return self.op(op).start

        try:
            first, last = bisect_left(ops, span.start, key=start), bisect_right(ops, span.end, key=start)
        except KeyError:  # The text does not show all of them.
            ops = [op for op in ops if op in self.ops]
            first, last = bisect_left(ops, span.start, key=start), bisect_right(ops, span.end, key=start)
        shown = [op for op in ops[max(first - 1, 0) : last] if op in self.ops]
        if shown and self.op(shown[0]).end < span.start:
            shown = shown[1:]
        return shown, ops[last] if last < len(ops) else None

    def defined_by(self, op: Operation, span: Span) -> Iterator[SSAValue]:
        """Yield the results of `op`, and the arguments of its blocks that may stand in `span`."""
        yield from op.results
        for block in self.blocks_within(op, span):
            yield from block.args

    def blocks_within(self, op: Operation, span: Span) -> Iterator[Block]:
        """Yield the blocks of `op` that may have a place in common with `span`."""
        for region in op.regions:
            blocks = list(region.blocks)
            if len(blocks) > 1 and all(block in self.blocks for block in blocks[1:]):
                first, last = (
                    bisect_right(blocks, place, 1, key=lambda block: self.blocks[block].start)
                    for place in span
                )
                # A label is told from where it ends, too.
                blocks = blocks[max(first - 1, 0) : last]
            yield from blocks

    def _in_row(self, row: Sequence[Operation], offset: int) -> Operation | None:
        here = self.touching(row, Span(offset, offset))[0]
        return here[-1] if here else None

    def number(self, block: Block, op: Operation) -> int:
        """Return which of the statements of `block`, all of which the text shows, an op is."""
        known = self.statements(block)
        at = bisect_left(known, self.op(op).start, key=lambda each: self.op(each).start)
        # While an edit is made, statements that go are not where they were.
        return at if at < len(known) and known[at] is op else known.index(op)

    def replaced(self, block: Block, gone: int, made: Sequence[Operation], number: int) -> None:
        """Note that `made` stands in `block` where so many ops stood in front of the one with this number."""
        if block in self._statements:
            self._statements[block][number - gone : number] = made

    def take(self, op: Operation, other: SpanTable) -> None:
        """Take over the places of `op` and what is in it from another table of the same text."""
        for inner in op.walk():
            if (place := other.ops.get(inner)) is not None:
                self.ops[inner] = place
            blocks = [block for region in inner.regions for block in region.blocks]
            for block in blocks:
                if (label := other.blocks.get(block)) is not None:
                    self.blocks[block] = label
            for value in (*inner.results, *(argument for block in blocks for argument in block.args)):
                if (named := other.values.get(value)) is not None:
                    self.values[value] = named

    def forget(self, op: Operation) -> None:
        """Forget the places of `op` and of what is in it."""
        for inner in op.walk():
            self.ops.pop(inner, None)
            blocks = [block for region in inner.regions for block in region.blocks]
            for block in blocks:
                self.blocks.pop(block, None)
                self._names.pop(block, None)
                self._statements.pop(block, None)
            for value in (*inner.results, *(argument for block in blocks for argument in block.args)):
                self.values.pop(value, None)

    def names(self, block: Block) -> dict[str, tuple[SSAValue, ...]] | None:
        """Return the values that `block` itself defines, by name without `%` and `#`; None where an
        argument has no place in the text. Who changes what the block defines changes this table as well."""
        known = self._names.get(block)
        if known is not None:
            return known
        found: dict[str, tuple[SSAValue, ...]] = {}
        for value in [*block.args, *(result for op in block.ops for result in op.results)]:
            place = self.values.get(value)
            if place is None:
                if isinstance(value, OpResult):
                    continue  # It was given no name, and no use of it can be written.
                return None
            name = place.name[1:].partition("#")[0]
            found[name] = (*found.get(name, ()), value)
        self._names[block] = found
        return found

    def block_label(self, block: Block) -> Span | None:
        """Return the label that begins `block`, or None for an entry block without one."""
        return self.blocks.get(block)

    def deps(self, op: Operation) -> Span | None:
        """Return the `[...]` of the op's async dependencies, brackets included, or None."""
        return self._async_part(op, 2)

    def keyword_async(self, op: Operation) -> Span | None:
        """Return the keyword `async` of the op, or None."""
        return self._async_part(op, 1)

    def _async_part(self, op: Operation, group: int) -> Span | None:
        spans = self.ops.get(op)
        if spans is None:
            return None
        match = _ASYNC.match(self.text, spans.name.end, spans.whole.end)
        return Span(*match.span(group)) if match and match[group] else None
