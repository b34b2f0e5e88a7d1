"""Semantic tokens: highlights values according to their stream's fate, symbols, blocks, ops, and types.

The protocol encodes each token relative to the previous one. So, except for the first, the tokens of a piece
of an item do not depend on its position. They are computed on demand and memoized by line; the key consists
of the line's words and the entities to which these refer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from xdsl.ir import BlockArgument, SSAValue

from gpuasync_lsp.analysis import AsyncFunction
from gpuasync_lsp.analysis.model.function import Fault
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.pieces import begins_statement, pieces
from gpuasync_lsp.ide.lookup.symbols import DEFINING_OPS
from gpuasync_lsp.ide.lookup.tokens import Token, TokenKind, tokens
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.source import Item, PlacedItem
from gpuasync_lsp.syntax.xdsl_speed import operands_of
from gpuasync_lsp.text import Encoding, LineIndex, Span
from gpuasync_lsp.text.defects import one_by_one

TYPES = ("variable", "parameter", "function", "namespace", "type", "keyword", "label", "property")
"""The legend of token types; a token names one by its index."""
MODIFIERS = ("declaration", "async", "leaked", "joined")
"""The legend of modifiers, one bit each. `async` marks a `!gpu.async.token`, `leaked` one whose stream is
never destroyed, and `joined` one whose stream another stream waits for."""

_VARIABLE, _PARAMETER, _FUNCTION, _NAMESPACE, _TYPE, _KEYWORD, _LABEL, _PROPERTY = range(8)
_DECLARATION, _ASYNC, _LEAKED, _JOINED = (1 << bit for bit in range(4))
_MODULES = frozenset({"gpu.module", "module", "builtin.module", "gpu.binary"})


@dataclass(frozen=True, slots=True)
class Segment:
    """The first token's position and the encoded tokens of one piece of an item."""

    line: int
    column: int
    tail: Tail


@dataclass(frozen=True, eq=False, slots=True)
class Tail:
    """The semantic tokens of a piece, encoded independently of its position in the file."""

    first: tuple[int, ...]
    """Length, type and modifiers of the first token."""
    rest: list[int]
    lines: int
    """The number of lines between the first token and the last."""
    last_column: int
    """The column of the last token; relative to the first token's if both are on one line."""
    json: str
    """The JSON of `rest`, preceded by a comma."""


def segments(state: FileState, encoding: Encoding, within: Span | None = None) -> list[Segment]:
    """Return the semantic tokens of a file, one segment per piece; with `within`, of pieces that touch it."""

    def of_item(placed: PlacedItem) -> Iterator[Segment]:
        line, column = state.lines.position(placed.offset, encoding)
        start = placed.offset
        for piece in _pieces(state, placed, encoding):
            end = start + len(piece.text)
            if within is None or (within.start <= end and start <= within.end):
                made = piece.made(placed.item, Span(start, end).shift(-placed.offset), encoding)
                if made is not None:
                    first_column = made.column + (column if made.line == 0 else 0)
                    yield Segment(line + made.line, first_column, made.tail)
            start, line, column = end, line + piece.lines, column if piece.lines == 0 else 0

    there = [
        placed
        for placed in state.source.items
        if within is None or (within.start <= placed.span.end and placed.offset <= within.end)
    ]
    return list(one_by_one("the colors of an item", there, of_item))


def numbers(found: Sequence[Segment]) -> Iterator[tuple[tuple[int, ...], Tail]]:
    """Yield the five protocol numbers of each segment's first token, and the segment's tail."""
    line = column = 0
    for segment in found:
        delta = segment.line - line
        yield (delta, segment.column - (0 if delta else column), *segment.tail.first), segment.tail
        line = segment.line + segment.tail.lines
        column = segment.tail.last_column + (0 if segment.tail.lines else segment.column)


_KEY = "ide.semantic"

_Fates = dict[SSAValue, int]
"""Maps async tokens to their modifiers, if they have one besides `async`."""


class _Made(NamedTuple):
    """The semantic tokens of a piece, with the first token's position in the piece."""

    line: int
    column: int
    tail: Tail


class _Piece:
    """A piece of an item, with its tokens once they are computed."""

    __slots__ = ("_fates", "_made", "lines", "text")

    def __init__(self, text: str, fates: _Fates) -> None:
        self.text = text
        self.lines = len(LineIndex(text).starts) - 1
        self._fates = fates
        self._made: tuple[_Made | None] | None = None

    def made(self, item: Item, place: Span, encoding: Encoding) -> _Made | None:
        """Return the semantic tokens of this piece, whose span in `item` is `place`; None if there are
        none."""
        if self._made is not None:
            return self._made[0]
        found = _tokens(item, self.text, place, self._fates, encoding)
        self._made = (found,)
        return found


def _pieces(state: FileState, placed: PlacedItem, encoding: Encoding) -> list[_Piece]:
    """Return the pieces of an item, memoized with its models."""
    item, functions = placed.item, state.models(placed)
    known: tuple[list[AsyncFunction], list[_Piece]] | None = item.memo.get((_KEY, encoding))
    if known is None or known[0] is not functions:
        fates = _fates(functions)
        known = item.memo[_KEY, encoding] = functions, [_Piece(text, fates) for text in pieces(item)]
    return known[1]


def _tokens(item: Item, text: str, place: Span, fates: _Fates, encoding: Encoding) -> _Made | None:
    """Return the semantic tokens of the piece of an item at `place`."""
    rows = _rows(item, text, place, fates, encoding)
    number, first = next(rows, (0, None))
    if first is None:
        return None
    rest, words = list(first.tail[3:]), [f",{each}" for each in first.tail[3:]]
    line, last = number, first
    for next_line, row in rows:
        rest += (next_line - line, row.column, *row.tail)
        words.append(f",{next_line - line},{row.column}{row.json}")
        line, last = next_line, row
    last_column = last.last if line > number else last.last - first.column
    tail = Tail(first.tail[:3], rest, line - number, last_column, "".join(words))
    return _Made(number, first.column, tail)


class _Row(NamedTuple):
    column: int
    """Column of the first token."""
    tail: tuple[int, ...]
    """The first token's length, type and modifiers, then all numbers of the other tokens."""
    json: str
    """The JSON of `tail`, preceded by a comma."""
    last: int
    """Column of the last token."""


_LONGEST = 1_000
"""The maximum length of a line whose tokens are memoized, in characters; a model's weights may be a line of
millions."""
_UNMARKED = frozenset({TokenKind.COMMENT, TokenKind.STRING, TokenKind.NUMBER, TokenKind.MARK})


def _rows(
    item: Item, text: str, place: Span, fates: _Fates, encoding: Encoding
) -> Iterator[tuple[int, _Row]]:
    """Yield the lines of a piece that have tokens, with their numbers."""
    starts = LineIndex(text).starts
    values, names = _named(item, place, fates)
    defining = ""
    for number, start in enumerate(starts):
        line = text[start : starts[number + 1]] if number + 1 < len(starts) else text[start:]
        words = _words(line)
        make = _row if len(line) <= _LONGEST else _row.__wrapped__
        at = start + place.start
        known = tuple([values.get(at + column, -1) for column in words.values])
        ops = tuple([at + column in names for column in words.ops])
        if begins_statement(line):
            defining = ""
        row, defining = make(line, known, ops, defining, encoding)
        if row is not None:
            yield number, row


def _named(item: Item, part: Span, fates: _Fates) -> tuple[dict[int, int], set[int]]:
    """Return the types and modifiers of named values by position, and the positions of op names.

    Type and modifiers are packed into one number, in which the modifiers are shifted."""
    spans = item.spans
    kinds: dict[SSAValue, int] = {}
    found: dict[int, int] = {}
    names: set[int] = set()

    def kind_of(value: SSAValue) -> int:
        kind = kinds.get(value)
        if kind is None:
            kind = _PARAMETER if isinstance(value, BlockArgument) else _VARIABLE
            if isinstance(value.type, AsyncTokenType):
                kind |= (_ASYNC | fates.get(value, 0)) << _SHIFT
            kinds[value] = kind
        return kind

    defined = _DECLARATION << _SHIFT
    for op in spans.within(item.ops, part):
        places = spans.ops[op]
        names.add(places.name[0])
        for value in spans.defined_by(op, part):
            if (place := spans.values.get(value)) is not None:
                found[place.span[0]] = kind_of(value) | defined
        for value, span in zip(operands_of(op), places.operands, strict=False):
            if span is not None:
                found[span[0]] = kind_of(value)
    return found, names


_SHIFT = 4


class _Words(NamedTuple):
    """The words of a line that may get tokens."""

    all: tuple[Token, ...]
    values: tuple[int, ...]
    """The columns of values."""
    ops: tuple[int, ...]
    """The columns of words that may be op names."""


def _words(line: str) -> _Words:
    return _kept_words(line) if len(line) <= _LONGEST else _kept_words.__wrapped__(line)


@lru_cache(maxsize=16_384)
def _kept_words(line: str) -> _Words:
    found = tuple([token for token in tokens(line) if token.kind not in _UNMARKED])
    starts = [[t.start for t in found if t.kind is kind] for kind in (TokenKind.VALUE, TokenKind.WORD)]
    return _Words(found, tuple(starts[0]), tuple(starts[1]))


@lru_cache(maxsize=16_384)
def _row(
    line: str, values: tuple[int, ...], ops: tuple[bool, ...], defining: str, encoding: Encoding
) -> tuple[_Row | None, str]:
    """Return the semantic tokens of a line, and the entity being defined at its end.

    `values` gives the type and modifiers of each value (-1 for none), `ops` whether each word names an op;
    `defining` is the entity being defined before the line."""
    known, names = iter(values), iter(ops)
    lines = None if line.isascii() else LineIndex(line)
    found: list[int] = []
    first = last = -1
    for token in _words(line).all:
        kind = modifiers = -1
        if token.kind is TokenKind.VALUE:
            value = next(known)
            kind, modifiers = (_VARIABLE, 0) if value < 0 else (value & (1 << _SHIFT) - 1, value >> _SHIFT)
        elif token.kind is TokenKind.WORD:
            word = line[token.start : token.end]
            if word in DEFINING_OPS:
                defining = word
            if next(names) or word in DEFINING_OPS:
                kind, modifiers = _KEYWORD, 0
        elif token.kind is TokenKind.SYMBOL:
            kind = _NAMESPACE if defining in _MODULES or line.startswith("::", token.end) else _FUNCTION
            modifiers = _DECLARATION if defining else 0
            defining = ""
        elif token.kind is TokenKind.TYPE:
            kind, modifiers = _TYPE, 0
        elif token.kind is TokenKind.BLOCK:
            kind, modifiers = _LABEL, 0
        elif not line[token.start + 1 : token.end].isdigit():
            kind, modifiers = _PROPERTY, 0
        if kind < 0:
            continue
        start, end = token.start, token.end
        if lines is not None:
            start, end = lines.position(start, encoding)[1], lines.position(end, encoding)[1]
        if first < 0:
            first = start
        else:
            found += (0, start - last)
        found += (end - start, kind, modifiers)
        last = start
    if first < 0:
        return None, defining
    json = "".join([f",{number}" for number in found])
    return _Row(first, tuple(found), json, last), defining


def _fates(functions: list[AsyncFunction]) -> _Fates:
    fates: _Fates = {}
    for function in functions:
        leaked = {id(fault.handle) for fault in function.faults if fault.fault is Fault.LEAKED}
        for value, handle in function.tokens.items():
            bits = (_LEAKED if id(handle) in leaked else 0) | (_JOINED if handle.joins else 0)
            if bits:
                fates[value] = bits
    return fates
