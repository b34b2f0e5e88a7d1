"""Definitions and mentions of symbols, `@name` and `@container::@name`.

They are read from the text, not the IR, so that a function that does not parse keeps its name. Ops in the
generic form are an exception (`generic_symbols.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from gpuasync_lsp.ide.lookup.generic_symbols import GenericSymbol, generic_symbols
from gpuasync_lsp.ide.lookup.pieces import pieces
from gpuasync_lsp.syntax.ods.table import entry
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem, SourceFile
from gpuasync_lsp.text import Span

DEFINING_OPS = frozenset(
    {
        "func.func",
        "func",
        "gpu.func",
        "gpu.module",
        "gpu.binary",
        "module",
        "builtin.module",
        "llvm.func",
        "llvm.mlir.global",
        "memref.global",
        "async.func",
    }
)
"""The most common ops that define the symbol after their name; the ODS tables list others."""

_OP = "|".join(re.escape(name) for name in sorted(DEFINING_OPS, reverse=True))
_SYMBOL = re.compile(r'@(?:[A-Za-z_][\w$.]*|"(?:[^"\\\n\r]|\\.)*"?)?')
_MARK = re.compile(
    rf"""
      (?P<passed>//[^\n\r]*|"(?:[^"\\\n\r]|\\.)*"?)
    | (?P<symbol>{_SYMBOL.pattern})
    | (?P<op>(?:{_OP})(?![\w$.]))
    | [()\[\]{{}}]
    """,
    re.VERBOSE,
)
"""Matches the words that matter for symbols, to skip the many other words of a long function."""
_SYM_NAME = "sym_name"
_NAME_MARKS = "_$.-%@#!^"
"""Characters that, before the name of an op, make it part of a longer name."""

_OTHER = re.compile(r"[ \t]*(?P<op>[a-z_]\w*(?:\.[\w$]+)+)[^@\"\n]*", re.ASCII)
"""Matches the beginning of a line up to a symbol, if it begins with an op of any dialect."""
_BARE = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol's definition, with absolute spans."""

    path: Path
    """The name, preceded by the names of the enclosing symbols."""
    op_name: str
    name: Span
    """The name with its `@`; in the generic form, the string with its quotes."""
    span: Span
    """The whole op."""
    header: str
    """The op without its body, possibly several lines."""
    placed: PlacedItem

    @property
    def label(self) -> str:
        """The name without the enclosing symbols."""
        return self.path[-1]

    @property
    def is_kernel(self) -> bool:
        """Whether a gpu.launch_func can launch it."""
        return (self.op_name == "gpu.func" and " kernel" in self.header) or "gpu.kernel" in self.header


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention `@name` in the text, with its absolute span."""

    path: Path
    """The name, preceded by the names before it that are followed by `::`."""
    scope: Path
    """The names of the symbols that enclose the mention."""
    span: Span
    defines: bool


def definitions(chunk: Chunk) -> Iterator[Definition]:
    """Yield the symbols that a chunk defines, in order."""
    for placed in sorted((*chunk.headers, *chunk.items), key=lambda p: p.offset):
        for found in _read(placed.item)[0]:
            shift = placed.offset
            yield Definition(
                found.path,
                found.op_name,
                found.name.shift(shift),
                found.span.shift(shift),
                found.header,
                placed,
            )


def references(chunk: Chunk) -> Iterator[Reference]:
    """Yield every mention of a symbol in a chunk, its definition included, in order."""
    for placed in (*chunk.headers, *chunk.items):
        for ref in _read(placed.item)[1]:
            yield Reference(ref.path, ref.scope, ref.span.shift(placed.offset), ref.defines)


def symbol_at(source: SourceFile, offset: int) -> Reference | None:
    """Return the mention of a symbol that contains `offset` or ends there."""
    for placed in source.chunk_at(offset).headers:
        if placed.span.contains(offset):
            found = _reference_in(placed, offset)
            if found is not None:
                return found
    placed = source.item_at(offset)
    return None if placed is None else _reference_in(placed, offset)


def definition_of(source: SourceFile, reference: Reference) -> Definition | None:
    """Return the definition that a mention refers to, which is the closest one outwards from its scope."""
    return resolve(by_path(source.chunk_at(reference.span.start)), reference)


def by_path(chunk: Chunk) -> dict[Path, Definition]:
    """Return the definitions of a chunk by path; if a path is defined twice, the first definition."""
    return {definition.path: definition for definition in reversed(list(definitions(chunk)))}


def resolve(known: dict[Path, Definition], reference: Reference) -> Definition | None:
    """Return the definition in `known` to which a mention refers."""
    scope = reference.scope
    if reference.defines:
        return known.get((*scope, *reference.path))
    while True:
        found = known.get((*scope, *reference.path))
        if found is not None or not scope:
            return found
        scope = scope[:-1]


def references_to(source: SourceFile, definition: Definition) -> list[Reference]:
    """Return every mention of a symbol in its chunk, in text order, its definition included."""
    chunk = source.chunk_at(definition.name.start)
    known = by_path(chunk)
    wanted = definition.path[-1]
    return sorted(
        (
            reference
            for reference in references(chunk)
            if reference.path[-1] == wanted and resolve(known, reference) == definition
        ),
        key=lambda r: r.span,
    )


def bare(symbol: str) -> str:
    """Return the name in `@name`, `@"name"` or `"name"`."""
    return symbol.removeprefix("@").strip('"')


def written(name: str) -> str:
    """Return `@name`, quoted if necessary: the inverse of `bare`."""
    return f"@{name}" if _BARE.fullmatch(name) else f'@"{name}"'


@dataclass(frozen=True, slots=True)
class _Definition:
    path: Path
    op_name: str
    name: Span
    span: Span
    header: str


_Symbols = tuple[list[_Definition], list[Reference]]


def _reference_in(placed: PlacedItem, offset: int) -> Reference | None:
    if not _may_be_in_symbol(placed.item.text, offset - placed.offset):
        return None
    for ref in _read(placed.item)[1]:
        if ref.span.contains(offset - placed.offset):
            return Reference(ref.path, ref.scope, ref.span.shift(placed.offset), ref.defines)
    return None


def _may_be_in_symbol(text: str, offset: int) -> bool:
    """Return whether, judging by its line, a symbol may contain `offset` or end there.

    May be True in strings and comments. For most offsets it is False, and the text need not be parsed."""
    line = text.rfind("\n", 0, offset) + 1
    if text.find(_SYM_NAME, line, offset) >= 0:
        return True
    at = text.rfind("@", line, offset + 1)
    while at >= 0:
        match = _SYMBOL.match(text, at)
        if match is not None and match.end() >= offset:
            return True
        at = text.rfind("@", line, at)
    return False


def _read(item: Item) -> _Symbols:
    found: _Symbols | None = item.memo.get("ide.symbols")
    if found is None:
        found = item.memo["ide.symbols"] = _Reader(item).read()
    return found


@dataclass(slots=True)
class _Open:
    """An unfinished definition, whose body is open or may follow."""

    op_name: str
    start: int
    path: Path
    name: Span
    header_end: int = -1
    depth: int = -1


class _Mentions(NamedTuple):
    """The mentions in a piece that defines no symbol and has balanced braces and parentheses."""

    symbols: tuple[tuple[Path, int, int], ...]
    """Each mention: the name, preceded by those before `::`, then its start and end in the piece."""
    ops: frozenset[str]
    """The names of the ops before the mentions; none of these ops is known to define a symbol."""


_LONGEST = 100_000
"""The maximum length of a memoized piece."""


@lru_cache(maxsize=2_048)
def _mentions(piece: str) -> _Mentions | None:
    """Return the mentions in a piece; None if they may depend on the text around the piece."""
    found: list[tuple[Path, int, int]] = []
    ops: set[str] = set()
    depth = parens = symbols_end = 0
    for match in _MARK.finditer(piece):
        word, start = match[0], match.start()
        if match.lastgroup == "symbol":
            if piece.endswith("::", 0, start):
                path = (*found[-1][0], bare(word)) if found else (bare(word),)
            else:
                path = (bare(word),)
                other = _other_op(piece, symbols_end, start)
                if other is not None and _defines_symbols(other["op"]):
                    return None
                ops.update([] if other is None else [other["op"]])
            found.append((path, start, match.end()))
            symbols_end = match.end()
        elif match.lastgroup == "op":
            if _is_whole(piece, start):
                return None
        elif match.lastgroup == "passed":
            continue
        elif word in "([":
            parens += 1
        elif word in ")]":
            parens = max(parens - 1, 0)
        elif parens == 0:
            depth += 1 if word == "{" else -1
            if depth < 0:
                return None
    return None if depth or parens else _Mentions(tuple(found), frozenset(ops))


def _other_op(text: str, after: int, at: int) -> re.Match[str] | None:
    """Return the op of any dialect before the symbol at `at`, if that is the first symbol of its line.

    There is no symbol between `after` and `at`."""
    line = text.rfind("\n", after, at) + 1
    return None if not line and after else _OTHER.fullmatch(text, line, at)


def _defines_symbols(op: str) -> bool:
    known = entry(op)
    return known is not None and any(_SYM_NAME in variant.attributes for variant in known.variants)


def _is_whole(text: str, start: int) -> bool:
    """Return whether an op name is not a part of a longer name."""
    return start == 0 or not (text[start - 1] in _NAME_MARKS or text[start - 1].isalnum())


class _Reader:
    """Scans an item once, matching braces. Pieces that define no symbol are memoized."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.text = item.text
        self.definitions: list[_Definition] = []
        self.references: list[Reference] = []
        self.open: list[_Open] = []
        self.pending: _Open | None = None
        self.depth = self.parens = 0
        self.symbols_end = 0
        self.defining: tuple[str, int] | None = None

    def read(self) -> _Symbols:
        end = 0
        for piece in pieces(self.item):
            start, end = end, end + len(piece)
            if not self._mention(piece, start):
                self._follow(start, end)
        self._end_header(len(self.text.rstrip()))
        while self.open:
            self._close(self.open.pop(), len(self.text))
        self._generic()
        self.definitions.sort(key=lambda d: d.span.start)
        return self.definitions, self.references

    def _mention(self, piece: str, start: int) -> bool:
        """Process a piece from its memoized mentions; return whether that was possible."""
        if self.parens or self.defining is not None or self.pending is not None:
            return False
        found = None if not start or len(piece) > _LONGEST else _mentions(piece)
        if found is None or any(map(_defines_symbols, found.ops)):
            return False
        scope = self._scope()
        self.references += [
            Reference(path, scope, Span(start + first, start + last), False)
            for path, first, last in found.symbols
        ]
        if found.symbols:
            self.symbols_end = start + found.symbols[-1][2]
        return True

    def _follow(self, begin: int, end: int) -> None:
        text = self.text
        depth, parens = self.depth, self.parens
        symbols_end, defining = self.symbols_end, self.defining
        chain: Path = ()
        for match in _MARK.finditer(text, begin, end):
            word, start = match[0], match.start()
            if match.lastgroup == "symbol":
                follows = text.endswith("::", 0, start)
                if defining is None and not follows:
                    defining = self._other_defining(symbols_end, start)
                symbols_end = match.end()
                if defining is not None:
                    self._define(defining, word, Span(*match.span()))
                    defining = None
                else:
                    chain = (*chain, bare(word)) if follows else (bare(word),)
                    self.references.append(Reference(chain, self._scope(), Span(*match.span()), False))
            elif match.lastgroup == "op":
                if _is_whole(text, start):
                    self._end_header(start)
                    defining = (word, start)
            elif match.lastgroup == "passed":
                continue
            elif word in "([":
                parens += 1
                defining = None
            elif word in ")]":
                parens = max(parens - 1, 0)
            elif word == "{" and parens == 0:
                self._brace(start, depth)
                defining = None
                depth += 1
            elif word == "}" and parens == 0:
                depth -= 1
                if self.open and self.open[-1].depth == depth:
                    self._close(self.open.pop(), match.end())
        self.depth, self.parens = depth, parens
        self.symbols_end, self.defining = symbols_end, defining

    def _other_defining(self, after: int, at: int) -> tuple[str, int] | None:
        """Return the op that defines the symbol at `at`, the first of its line, and the op's start.

        There is no symbol between `after` and `at`. None if the op defines none."""
        match = _other_op(self.text, after, at)
        if match is None or not _defines_symbols(match["op"]):
            return None
        self._end_header(match.start("op"))
        return match["op"], match.start("op")

    def _generic(self) -> None:
        """Add the definitions of ops in the generic form, which become the scope of mentions inside the
        ops."""
        found = list(generic_symbols(self.item))
        if not found:
            return
        opens = sorted(found, key=lambda symbol: symbol.span.start, reverse=True)
        around: list[GenericSymbol] = []
        for number, reference in enumerate(self.references):
            place = reference.span.start
            while opens and opens[-1].span.start <= place:
                around.append(opens.pop())
            while around and around[-1].span.end <= place:
                around.pop()
            if around:
                self.references[number] = replace(reference, scope=around[-1].path)
        for path, op_name, name, span, header in found:
            self.definitions.append(_Definition(path, op_name, name, span, header))
            self.references.append(Reference(path[-1:], path[:-1], name, True))

    def _scope(self) -> Path:
        return self.open[-1].path if self.open else ()

    def _define(self, defining: tuple[str, int], word: str, span: Span) -> None:
        scope = self._scope()
        self.references.append(Reference((bare(word),), scope, span, True))
        self.pending = _Open(defining[0], defining[1], (*scope, bare(word)), span)

    def _brace(self, at: int, depth: int) -> None:
        """Process an opening brace: of an attribute dictionary, or of the pending definition's body."""
        if self.pending is None or self.text[self.pending.start : at].rstrip().endswith("attributes"):
            return
        self.pending.header_end = at
        self.pending.depth = depth
        self.open.append(self.pending)
        self.pending = None

    def _end_header(self, at: int) -> None:
        """End the pending definition, which has no body, because the next definition begins."""
        if self.pending is not None:
            line_end = self.text.find("\n", self.pending.name.end, at)
            self.pending.header_end = at if line_end < 0 else line_end
            self._close(self.pending, self.pending.header_end)
            self.pending = None

    def _close(self, opened: _Open, end: int) -> None:
        header = self.text[opened.start : opened.header_end].rstrip()
        self.definitions.append(
            _Definition(opened.path, opened.op_name, opened.name, Span(opened.start, end), header)
        )
