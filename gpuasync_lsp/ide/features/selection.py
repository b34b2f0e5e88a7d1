"""Selection ranges: word, operand list, op, block, region, function, chunk, file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, Operation

from gpuasync_lsp.ide.lookup.tokens import TokenKind, token_at, tokens
from gpuasync_lsp.syntax.source import Item, SourceFile
from gpuasync_lsp.text import LineIndex, Span

_OPEN, _CLOSE = "([{<", ")]}>"


def selections(source: SourceFile, lines: LineIndex, offset: int) -> list[Span]:
    """Return the spans around `offset`, from the narrowest to the whole file, each within the next."""
    text = source.text
    found: set[Span] = {Span(0, len(text))}
    chunk = source.chunk_at(offset)
    if chunk.span.contains(offset):
        found.add(chunk.span)
    line = lines.position(offset)[0]
    start, end = lines.starts[line], lines.line_end(line)
    content = text[start:end]
    if content.strip():
        left = start + len(content) - len(content.lstrip())
        found.add(Span(left, start + len(content.rstrip())))
    word = token_at(text, offset, start)
    if word is not None:
        found.add(word.span)
    placed = source.item_at(offset)
    if placed is not None:
        item, at = placed
        found.add(placed.span)
        ops = [op for op in item.spans.around(item.ops, offset - at) if _is_shown(item, op)]
        found |= {span.shift(at) for span in _brackets(item, ops, offset - at)}
        found |= {item.spans.op(op).shift(at) for op in ops}
    around = sorted((s for s in found if s.contains(offset)), key=lambda s: (s.end - s.start, s.start))
    nested: list[Span] = []
    for span in around:
        if not nested or (span.start <= nested[-1].start and nested[-1].end <= span.end):
            nested.append(span)
    return nested


def _brackets(item: Item, ops: Sequence[Operation], offset: int) -> set[Span]:
    """Return the spans of the brackets around `offset`, with and without the brackets themselves.

    `ops` are the ops around `offset`, the outermost first."""
    text = item.text
    found: set[Span] = set()
    open_: list[tuple[str, int]] = []
    for token in (token for part in _looked_at(item, ops) for token in tokens(text, *part)):
        mark = text[token.start]
        if token.kind is not TokenKind.MARK or token.end - token.start > 1:
            continue
        if mark in _OPEN:
            open_.append((mark, token.start))
        elif mark in _CLOSE:
            wanted = _OPEN[_CLOSE.index(mark)]
            if not open_ or open_[-1][0] != wanted:
                continue
            start = open_.pop()[1]
            if start <= offset <= token.end:
                found.add(Span(start, token.end))
                if start < offset < token.end:
                    found.add(Span(start + 1, token.start))
    return found


def _looked_at(item: Item, ops: Sequence[Operation]) -> Iterator[Span]:
    """Yield the parts of the item's text to search for brackets, in order, without siblings of `ops`."""
    starts, ends = [0], [len(item.text)]
    for op in ops[1:]:
        region = op.parent_region()
        row = [] if region is None else [each for block in region.blocks for each in _ends(item, block)]
        begin, end = item.spans.op(op)
        if row:
            starts.append(begin)
            starts.insert(-1, min(item.spans.op(row[0]).start, begin))
            ends.insert(0, end)
            ends.insert(1, max(item.spans.op(row[-1]).end, end))
    edges = [*starts, *ends]
    yield from (Span(*edge) for edge in zip(edges[::2], edges[1::2], strict=True))


def _ends(item: Item, block: Block) -> list[Operation]:
    """Return the first and the last op of a block that are written in the text."""
    row = item.spans.statements(block)
    ends = (next((op for op in some if _is_shown(item, op)), None) for some in (row, reversed(row)))
    return [op for op in ends if op is not None]


def _is_shown(item: Item, op: Operation) -> bool:
    place = item.spans.ops.get(op)
    return place is not None and place.whole.start < place.whole.end
