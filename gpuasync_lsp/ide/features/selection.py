"""Growing selections: word, operand list, op, block, region, function, chunk, file."""

from __future__ import annotations

from gpuasync_lsp.ide.lookup.tokens import TokenKind, token_at, tokens
from gpuasync_lsp.syntax.source import SourceFile
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
        found.add(placed.span)
        found |= {span.shift(placed.offset) for span in _brackets(placed.item.text, offset - placed.offset)}
        found |= {
            places.whole.shift(placed.offset)
            for places in placed.item.spans.ops.values()
            if places.whole.contains(offset - placed.offset)
        }
    around = sorted((s for s in found if s.contains(offset)), key=lambda s: (s.end - s.start, s.start))
    nested: list[Span] = []
    for span in around:
        if not nested or (span.start <= nested[-1].start and nested[-1].end <= span.end):
            nested.append(span)
    return nested


def _brackets(text: str, offset: int) -> set[Span]:
    """Return the insides of the brackets around `offset`, and those with their brackets."""
    found: set[Span] = set()
    open_: list[tuple[str, int]] = []
    for token in tokens(text):
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
