"""Semantic tokens: what a grammar cannot see. Values with their streams' fate, symbols, blocks, ops, types.

Tokens are encoded as the protocol has them, each relative to the one before it. So what an item yields does
not depend on where it stands but for its first token, and is kept with the item.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument

from gpuasync_lsp.analysis import AsyncFunction
from gpuasync_lsp.analysis.model.function import Fault
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.mentions import mentions
from gpuasync_lsp.ide.lookup.symbols import DEFINING_OPS
from gpuasync_lsp.ide.lookup.tokens import Token, TokenKind, item_tokens
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.source import Item, PlacedItem
from gpuasync_lsp.text import Encoding, LineIndex, Span

TYPES = ("variable", "parameter", "function", "namespace", "type", "keyword", "label", "property")
"""The legend of token types; a token names one by its index."""
MODIFIERS = ("declaration", "async", "leaked", "joined")
"""The legend of modifiers, one bit each. `async` is a `!gpu.async.token`; `leaked`, one whose stream is
never destroyed; `joined`, one whose stream another waits for by an event."""

_VARIABLE, _PARAMETER, _FUNCTION, _NAMESPACE, _TYPE, _KEYWORD, _LABEL, _PROPERTY = range(8)
_DECLARATION, _ASYNC, _LEAKED, _JOINED = (1 << bit for bit in range(4))
_MODULES = frozenset({"gpu.module", "module", "builtin.module", "gpu.binary"})


@dataclass(frozen=True, slots=True)
class Segment:
    """The tokens of one item: the first one's place, and the numbers that follow."""

    line: int
    column: int
    tail: Tail


@dataclass(frozen=True, eq=False, slots=True)
class Tail:
    """What an item yields wherever it stands: its first token without place, then all others."""

    line: int
    """Of the first token, relative to the item."""
    first: tuple[int, int, int]
    """Length, type and modifiers of the first token."""
    rest: list[int]
    lines: int
    """Lines between the first token and the last."""
    last_column: int
    """Column of the last token; relative to the item's if it is on its first line."""
    json: str
    """`rest` as JSON, with a comma in front."""


def segments(state: FileState, encoding: Encoding, within: Span | None = None) -> list[Segment]:
    """Return the tokens of a file, or of the items that touch `within`, item by item."""
    found: list[Segment] = []
    for placed in state.source.items:
        if within is not None and (placed.span.end < within.start or within.end < placed.offset):
            continue
        line, column = state.lines.position(placed.offset, encoding)
        tail = _tail(state, placed, encoding, column)
        if tail is not None:
            first_column = column if tail.line == 0 else 0
            found.append(Segment(line + tail.line, first_column + _start_column(placed.item, encoding), tail))
    return found


def numbers(found: Sequence[Segment]) -> Iterator[tuple[tuple[int, ...], Tail]]:
    """Yield, for each segment, the five numbers of its first token and its tail."""
    line = column = 0
    for segment in found:
        delta = segment.line - line
        yield (delta, segment.column - (0 if delta else column), *segment.tail.first), segment.tail
        line = segment.line + segment.tail.lines
        column = segment.tail.last_column if segment.tail.lines else segment.column + segment.tail.last_column


def _start_column(item: Item, encoding: Encoding) -> int:
    return item.memo[_KEY, encoding][2]


_KEY = "ide.semantic"


def _tail(state: FileState, placed: PlacedItem, encoding: Encoding, column: int) -> Tail | None:
    item = placed.item
    functions = state.models(placed)
    known = item.memo.get((_KEY, encoding))
    if known is not None and known[0] is functions:
        return known[1]
    raw = list(_absolute(item, functions, encoding))
    if not raw:
        item.memo[_KEY, encoding] = (functions, None, 0)
        return None
    rest: list[int] = []
    line, at = raw[0][0], raw[0][1]
    for next_line, next_at, length, kind, modifiers in raw[1:]:
        delta = next_line - line
        rest += (delta, next_at - (0 if delta else at), length, kind, modifiers)
        line, at = next_line, next_at
    lines = raw[-1][0] - raw[0][0]
    last = raw[-1][1] if lines else raw[-1][1] - raw[0][1]
    json = "".join(f",{number}" for number in rest)
    tail = Tail(raw[0][0], raw[0][2:], rest, lines, last, json)
    item.memo[_KEY, encoding] = (functions, tail, raw[0][1])
    return tail


_Raw = tuple[int, int, int, int, int]


def _absolute(item: Item, functions: list[AsyncFunction], encoding: Encoding) -> Iterator[_Raw]:
    """Yield line, column, length, type and modifiers of each token, relative to the item."""
    text = item.text
    lines = LineIndex(text)
    ascii_only = text.isascii()
    values = {m.span.start: m for m in mentions(item)}
    names = {places.name.start for places in item.spans.ops.values()}
    fates = _fates(functions)
    defining = ""
    line, line_start, next_start = 0, 0, lines.starts[1] if lines.line_count > 1 else len(text) + 1
    for token in item_tokens(item):
        while token.start >= next_start:
            line += 1
            line_start = next_start
            next_start = lines.starts[line + 1] if line + 1 < lines.line_count else len(text) + 1
        kind = modifiers = -1
        if token.kind is TokenKind.VALUE:
            mention = values.get(token.start)
            kind, modifiers = _VARIABLE, 0
            if mention is not None:
                kind = _PARAMETER if isinstance(mention.value, BlockArgument) else _VARIABLE
                modifiers = _DECLARATION if mention.defines else 0
                if isinstance(mention.value.type, AsyncTokenType):
                    modifiers |= _ASYNC | fates.get(mention.value, 0)
        elif token.kind is TokenKind.WORD:
            word = text[token.start : token.end]
            if word in DEFINING_OPS:
                defining = word
            if token.start in names or word in DEFINING_OPS:
                kind, modifiers = _KEYWORD, 0
        elif token.kind is TokenKind.SYMBOL:
            kind = _NAMESPACE if defining in _MODULES or _is_container(text, token) else _FUNCTION
            modifiers = _DECLARATION if defining else 0
            defining = ""
        elif token.kind is TokenKind.TYPE:
            kind, modifiers = _TYPE, 0
        elif token.kind is TokenKind.BLOCK:
            kind, modifiers = _LABEL, 0
        elif token.kind is TokenKind.ATTRIBUTE and not text[token.start + 1 : token.end].isdigit():
            kind, modifiers = _PROPERTY, 0
        if kind < 0:
            continue
        if ascii_only:
            yield line, token.start - line_start, token.end - token.start, kind, modifiers
        else:
            column = lines.position(token.start, encoding)[1]
            yield line, column, lines.position(token.end, encoding)[1] - column, kind, modifiers


def _is_container(text: str, token: Token) -> bool:
    return text.startswith("::", token.end)


def _fates(functions: list[AsyncFunction]) -> dict[object, int]:
    fates: dict[object, int] = {}
    for function in functions:
        leaked = {id(fault.handle) for fault in function.faults if fault.fault is Fault.LEAKED}
        for value, handle in function.tokens.items():
            bits = (_LEAKED if id(handle) in leaked else 0) | (_JOINED if handle.joins else 0)
            if bits:
                fates[value] = bits
    return fates
