"""The layer of statements that differ from an earlier one only in the names of their values.

Most statements in a long file do. The second statement with a given shape is parsed and memoized; later
ones reuse its class, types and attributes without being lexed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, cast

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.mlir_lexer import MLIRTokenKind

from gpuasync_lsp.syntax.lexer import VALUE_NAME, FastToken
from gpuasync_lsp.syntax.ods.operation import OdsOperation
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType
from gpuasync_lsp.syntax.parser.opaque_ops import OpaqueOpParser
from gpuasync_lsp.syntax.shared_context import MOST_NAMES
from gpuasync_lsp.syntax.spans import OpSpans, ValueSpan
from gpuasync_lsp.syntax.xdsl_speed import like
from gpuasync_lsp.text import Span

_LINE = re.compile(r'[^"#/^\n\r\0]{1,400}')
"""Matches a line without strings, attribute aliases, blocks and comments, which may resemble an earlier
statement.

The limit bounds the cost of lines with many statements, each of which scans to the end of the line."""

_NAME = re.compile(VALUE_NAME)
_ALIAS = re.compile(r"![A-Za-z_][\w$-]*(?![\w$.<-])")
_span: Callable[[tuple[int, int]], Span] = partial(cast(Any, tuple).__new__, Span)
"""Creates a span quickly: the class's constructor runs Python code, several times per statement."""

_PERCENT = MLIRTokenKind.PERCENT_IDENT
_LOCATION = re.compile(r"\bloc\b")

_ANY_OP = frozenset({
    "_operands", "_operand_uses", "results", "properties", "attributes", "location", "_successors",
    "_successor_uses", "regions", "parent",
})  # fmt: skip
"""The fields of every op. An op with other fields may depend on its own text and is not memoized."""


class Written(NamedTuple):
    """The text of a statement, split at value names."""

    shape: str
    """The text with a zero character, which occurs in no such text, in place of each name."""
    pieces: list[str]
    """The text between names, alternating with the names (without `%`)."""
    end: int


class Alike(NamedTuple):
    """The memoized form of statements with the same `Written.shape`."""

    kind: type[Operation]
    operands: tuple[int, ...]
    """For each operand, the index of its name in the statement."""
    operand_types: tuple[Attribute, ...]
    results: tuple[int, ...]
    """For each result, the index of its name in the statement; empty if no result is named."""
    result_types: tuple[Attribute, ...]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    op_name: tuple[int, int, int]
    """The number of names before the op's name, its distance from the last such name, and its length."""
    equal: tuple[int, ...]
    """For each name, the index of the first equal one, since a repeated name may change the meaning; empty
    if all differ."""
    followers: frozenset[str]
    """The `_follower` keys of tokens seen after such statements; any other token might belong to the
    statement."""


class AlikeParser(OpaqueOpParser):
    """Parses a statement from the memoized form of an earlier one, without lexing it."""

    def _written(self, start: int) -> Written | None:
        """Return the line at `start`, split at names; None if it cannot resemble an earlier statement."""
        text = self.text
        line = _LINE.match(text, start)
        if line is None:
            return None
        end = line.end()
        if not (text.startswith(("\n", "//"), end) or end == len(text)):
            return None
        statement = line[0].rstrip(" \t")
        pieces = _NAME.split(statement)
        return Written("\0".join(pieces[::2]), pieces, start + len(statement))

    def _read_alike(self, start: int, written: Written) -> Operation | None:
        """Parse the statement at `start` from its memoized form; None if the result may be wrong."""
        alike: Alike | None = self._shared.alike.get(written.shape)
        if alike is None:
            return None
        pieces = written.pieces
        names = pieces[1::2]
        if alike.equal != (() if len({*names}) == len(names) else _equal(names)):
            return None
        operands: list[SSAValue] = []
        find = self.ssa_values.get
        for index, wanted in zip(alike.operands, alike.operand_types, strict=True):
            found = find(names[index])
            if found is None:
                return None
            value = found[0]
            kind = value.type
            if kind is not wanted and kind != wanted:
                return None
            operands.append(value)
        state = self._parser_state
        lexer: Any = state.lexer  # A FastLexer; `Any` avoids the cost of a check.
        before, lexer.pos = (lexer.pos, lexer.previous_end), written.end
        following: FastToken = lexer.lex()
        kind = following.kind
        follower = "%" if kind is _PERCENT else _follower(kind, following.text)
        if follower not in alike.followers:
            lexer.pos, lexer.previous_end = before
            return None
        state.current_token = following

        op = like(alike.kind, operands, alike.result_types, alike.properties, alike.attributes)
        places: list[Span] = []
        at = start
        each = iter(pieces)
        for piece, name in zip(each, each, strict=False):  # The last piece has no name after it.
            begin = at + len(piece)
            at = begin + 1 + len(name)
            places.append(_span((begin, at)))
        behind, far, length = alike.op_name
        at = far + (places[behind - 1].end if behind else start)
        self._created.append(op)
        self.spans.ops[op] = OpSpans(
            _span((start, written.end)), _span((at, at + length)), tuple([places[i] for i in alike.operands])
        )
        for index, result in zip(alike.results, op.results, strict=False):  # Results may be unnamed.
            self._define(names[index], (result,), places[index])
        return op

    def _remember_alike(self, op: Operation, written: Written) -> None:
        """Memoize the parsed form of `written` if its shape occurs for the second time.

        `op` must have no problems."""
        shapes = self._shared.alike
        if written.shape not in shapes:  # Most constants, for example, have a unique shape.
            if len(shapes) >= MOST_NAMES:
                shapes.clear()
            shapes[written.shape] = None
            return
        place = self.spans.ops[op]
        text = self.text
        start = place.whole.start
        if (
            place.whole.end != written.end
            or isinstance(op, OpaqueOp | OdsOperation)
            or op.regions
            or op.successors
            or not op.__dict__.keys() <= _ANY_OP
            or "." not in text[place.name.start : place.name.end]
            or _LOCATION.search(written.shape)
            or _ALIAS.search(written.shape)
        ):
            return
        numbers: dict[Span, int] = {}
        at, behind, base = start, 0, start
        names = written.pieces[1::2]
        for number, (piece, name) in enumerate(zip(written.pieces[::2], names, strict=False)):
            begin = at + len(piece)
            at = begin + 1 + len(name)
            numbers[Span(begin, at)] = number
            if at <= place.name.start:
                behind, base = number + 1, at
        named = [each for each in map(self.spans.values.get, op.results) if each is not None]
        operands = [numbers.get(span, -1) if span is not None else -1 for span in place.operands]
        results = [_number_of(each, numbers) for each in named]
        types = [value.type for value in op.operands]
        if (
            -1 in (*operands, *results)
            or len(operands) != len(types)
            or len(results) not in (0, len(op.results))
            or any(isinstance(kind, UnknownType) for kind in types)
            or any(isinstance(value, ForwardDeclaredValue) for value in op.operands)
        ):
            return
        token = self._token
        alike = Alike(
            type(op),
            tuple(operands),
            tuple(types),
            tuple(results),
            tuple([value.type for value in op.results]),
            dict(op.properties),
            dict(op.attributes),
            (behind, place.name.start - base, place.name.end - place.name.start),
            _equal(names),
            frozenset({_follower(token.kind, token.text)}),
        )
        known: Alike | None = shapes.get(written.shape)
        if known is not None and known._replace(followers=alike.followers) == alike:
            alike = alike._replace(followers=known.followers | alike.followers)
        shapes[written.shape] = alike


def _number_of(place: ValueSpan, numbers: Mapping[Span, int]) -> int:
    """Return the index of a result's name in the statement; -1 if several results share a name."""
    return -1 if "#" in place.name else numbers.get(place.span, -1)


def _equal(names: list[str]) -> tuple[int, ...]:
    """Return for each name the index of the first equal one; empty if all differ."""
    return () if len(set(names)) == len(names) else tuple(map(names.index, names))


def _follower(kind: MLIRTokenKind, text: str) -> str:
    """Return a key for the token after a statement; all value names share a key, and all op names share a
    key."""
    if kind is _PERCENT:
        return "%"
    return "." if kind is MLIRTokenKind.BARE_IDENT and "." in text else text
