"""A source file as chunks and parsed items, so that an edit of one function reparses only that function.

Items are immutable by convention and shared between versions of a file: code that changes IR works on a
clone (`module_of`). Results derived from an item are memoized in its `memo`. A large file can be split
first and parsed item by item (`cut_source`, `read_item`); an unparsed item has only its text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, NamedTuple

from xdsl.ir import Attribute, Dialect, Operation

from gpuasync_lsp.syntax.alias_sizes import AliasSizes
from gpuasync_lsp.syntax.attributes import is_shared
from gpuasync_lsp.syntax.checks.view import VerifierError
from gpuasync_lsp.syntax.cutter import (
    Part,
    PartKind,
    begins_in_dump,
    chunk_spans,
    cut,
    is_top_level,
    item_end,
)
from gpuasync_lsp.syntax.dialects import context
from gpuasync_lsp.syntax.extensions import register
from gpuasync_lsp.syntax.ods.rules import in_release
from gpuasync_lsp.syntax.ods.table import Dialect as OdsDialect
from gpuasync_lsp.syntax.ods.table import dialect_names, use_tables
from gpuasync_lsp.syntax.parser import Problem, TolerantParser, not_closed
from gpuasync_lsp.syntax.parser.problem import DEFECT, NOT_CLOSED
from gpuasync_lsp.syntax.shared_context import SharedContext
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.syntax.unclosed import closed
from gpuasync_lsp.syntax.verifier import InSomeReleases, verify
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.defects import contained

_SYMBOL = re.compile(r'@(?:[A-Za-z_][\w$.]*|"[^"\n]*")')
_LOCATION_ALIAS = re.compile(r"#[\w.$-]+\s*=\s*loc\(")
_ALIAS_USE = re.compile(r"[#!][A-Za-z_][\w$-]*(?![\w$.<-])")


class Change(NamedTuple):
    """An edit that replaced `old[start:old_end]` with `new[start:new_end]`."""

    start: int
    old_end: int
    new_end: int


@dataclass(eq=False)
class Item:
    """One top-level op of a chunk, parsed separately; all offsets are relative to its text."""

    text: str
    ops: tuple[Operation, ...]
    """The parsed ops, usually one; top-level statements that share values form one item."""
    spans: SpanTable
    problems: tuple[Problem, ...]
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any])
    """Results that other modules derived from this item, under their own keys."""
    defects: list[Problem] = field(default_factory=list[Problem])
    """Defects of this tool (GA011) that prevented a part from being parsed, verified or modeled."""
    is_read: bool = True
    """Whether the item is parsed; if not, the absence of ops and problems means nothing."""
    unclosed: int | None = None
    """The offset of an unclosed brace, which the parser treats as closed on its line."""

    @classmethod
    def unread(cls, text: str, unclosed: int | None = None) -> Item:
        """Return an item that is not parsed yet."""
        return cls(text, (), SpanTable(text), (), is_read=False, unclosed=unclosed)

    @cached_property
    def invalid(self) -> tuple[Problem, ...]:
        """The verifier's errors for the ops (GA003); computed on first use.

        An op that failed to parse is not verified, since its error would be reported twice.
        """
        found = self._verdict[0]
        if not found or not self.problems:
            return found
        wholes = {spans.name: spans.whole for spans in self.spans.ops.values()}
        starts = [problem.span.start for problem in self.problems]
        return tuple(
            problem
            for problem in found
            if not any(map(wholes.get(problem.span, problem.span).contains, starts))
        )

    @cached_property
    def _verdict(self) -> tuple[tuple[Problem, ...], InSomeReleases]:
        in_some: InSomeReleases = []
        found = [problem for op in self.ops for problem in self._verified(op, in_some)]
        self.defects += [problem for problem in found if problem.code == DEFECT]
        return tuple(problem for problem in found if problem.code != DEFECT), in_some

    def _verified(self, op: Operation, in_some: InSomeReleases) -> list[Problem]:
        return contained(
            "the verifier of an item",
            lambda: verify(op, self.spans, in_some),
            lambda message, _: [Problem(DEFECT, self.spans.name(op), f"{message}.\nIt is not verified.")],
        )

    def rejected_by(self, version: int) -> Iterator[tuple[Operation, str]]:
        """Yield each op that LLVM `version` rejects but other releases accept, with its first error."""
        reported = set[Operation]()
        starts = [problem.span.start for problem in self.problems]
        for op, wrong in self._verdict[1]:
            place = self.spans.ops.get(op)
            if place is not None and any(map(place.whole.contains, starts)):
                continue  # mlir-opt stops before it verifies this op.
            if isinstance(wrong, VerifierError):
                words = wrong.in_release(version)
            else:
                words = in_release(op, wrong, version)
            if words is not None and op not in reported:
                reported.add(op)
                yield op, words

    @cached_property
    def symbol_uses(self) -> frozenset[str]:
        """The symbols used in the text, without `@` and quotes."""
        return frozenset(name[1:].strip('"') for name in _SYMBOL.findall(self.text))

    def may_define(self, symbols: frozenset[str]) -> bool:
        """Return whether the op may define one of `symbols`, judging by its text."""
        return not is_top_level(self.text) or not symbols.isdisjoint(self.possible_names)

    @property
    def possible_names(self) -> frozenset[str]:
        """The symbols that the item may define: only the first one in its text if it begins with a symbol
        op."""
        if not is_top_level(self.text):
            return self.symbol_uses
        first = _SYMBOL.search(self.text)
        return frozenset() if first is None else frozenset({first[0][1:].strip('"')})


class PlacedItem(NamedTuple):
    """An item and its offset in the source."""

    item: Item
    offset: int

    @property
    def span(self) -> Span:
        """The span of the item in the source."""
        return Span(self.offset, self.offset + len(self.item.text))


@dataclass(frozen=True, eq=False)
class Chunk:
    """A part of a file between `// -----` lines, which is a separate compilation unit."""

    span: Span
    items: tuple[PlacedItem, ...]
    """The items of the chunk in text order, including those in nested modules."""
    headers: tuple[PlacedItem, ...]
    """The `module ... {` lines in text order, each parsed as an empty module."""
    prelude: str
    """The text of all alias definitions and file metadata."""
    problems: tuple[Problem, ...]
    """Problems in the prelude and with module braces, with absolute spans."""
    parts: tuple[Part, ...]
    """The parts of the chunk, with absolute spans."""
    aliases: dict[str, Attribute] = field(default_factory=dict[str, Attribute], repr=False)
    """The aliases that the prelude defines, with their parsed values."""
    in_dump: bool = False
    """Whether the chunk is a section of an IR dump, whose ops may belong to a module that is not shown."""

    def preludes(self) -> Iterator[tuple[str, int]]:
        """Yield the parts of `prelude`, each with its offset in the source."""
        at = 0
        for part in self.parts:
            if part.kind == PartKind.PRELUDE:
                length = part.span.end - part.span.start
                yield self.prelude[at : at + length], part.span.start
                at += length + 1  # Skip the line break between the parts.

    @cached_property
    def shared_aliases(self) -> str:
        """The alias definitions in the source if one of them is too long to expand, else empty."""
        if not any(is_shared(name, value) for name, value in self.aliases.items()):
            return ""
        texts = (text.strip() for text, _ in self.preludes())
        # Locations are not printed, so aliases of locations are not needed.
        return "\n".join(each for each in texts if each[:1] in "#!" and not _LOCATION_ALIAS.match(each))

    @property
    def metadata(self) -> str:
        """The file metadata `{-# ... #-}` in the source, such as resources; empty if there is none."""
        start = self.prelude.find("{-#")
        return self.prelude[start : self.prelude.find("#-}", start) + 3] if start >= 0 else ""

    @cached_property
    def is_one_module(self) -> bool:
        """Whether the chunk has no explicit module, or a single one around all items."""
        if not self.headers:
            return True
        kinds = [part.kind for part in self.parts if part.kind != PartKind.PRELUDE]
        around = kinds[0] == PartKind.MODULE and PartKind.CLOSE not in kinds[:-1]
        return len(self.headers) == 1 and around


@dataclass(frozen=True, eq=False)
class SourceFile:
    """A source file and its parsed form."""

    text: str
    chunks: tuple[Chunk, ...]
    context: SharedContext = field(default_factory=lambda: _context(), repr=False)
    """The dialects with which the file was parsed."""

    @property
    def items(self) -> Iterator[PlacedItem]:
        """All items of all chunks, in order."""
        for chunk in self.chunks:
            yield from chunk.items

    @property
    def unread(self) -> Iterator[tuple[PlacedItem, Chunk]]:
        """The unparsed items, each with its chunk, in text order."""
        for chunk in self.chunks:
            for placed in chunk.items:
                if not placed.item.is_read:
                    yield placed, chunk

    def with_items(self, read: Mapping[Item, Item]) -> SourceFile:
        """Return this source with the items in `read` replaced by their parsed versions."""
        chunks: list[Chunk] = []
        for chunk in self.chunks:
            items = tuple(PlacedItem(read.get(item, item), offset) for item, offset in chunk.items)
            chunks.append(replace(chunk, items=items))
        return SourceFile(self.text, tuple(chunks), self.context)

    def problems(self) -> list[Problem]:
        """Return all problems in the file with absolute spans, in order."""
        found = [p for chunk in self.chunks for p in chunk.problems]
        for chunk in self.chunks:
            for placed in (*chunk.headers, *chunk.items):
                found += [shift_problem(p, placed.offset) for p in placed.item.problems]
        return sorted(found, key=lambda p: p.span)

    def item_at(self, offset: int) -> PlacedItem | None:
        """Return the item that contains `offset`; None between items."""
        for chunk in self.chunks:
            if chunk.span.contains(offset):
                for placed in chunk.items:
                    if placed.span.contains(offset):
                        return placed
        return None

    def chunk_at(self, offset: int) -> Chunk:
        """Return the chunk that contains `offset`."""
        for chunk in self.chunks:
            if offset <= chunk.span.end:
                return chunk
        return self.chunks[-1]


def shift_problem(problem: Problem, offset: int) -> Problem:
    """Return `problem` moved by `offset` code points."""
    return problem.moved(lambda span: span.shift(offset))


def parse_source(text: str, previous: SourceFile | None = None, change: Change | None = None) -> SourceFile:
    """Parse `text`; never raises.

    Items of `previous` with the same text and aliases are reused. `change` is the edit since
    `previous`, if known; in that case only the edited item is split again.
    """
    source = cut_source(text, previous, change)
    read: dict[Item, Item] = {}
    for (item, _), chunk in source.unread:
        if item not in read:
            read[item] = read_item(item, chunk, source)
    return source.with_items(read) if read else source


def cut_source(text: str, previous: SourceFile | None = None, change: Change | None = None) -> SourceFile:
    """Split `text` like `parse_source`, but leave items unparsed unless `previous` has them.

    Alias definitions and module headers are parsed.
    """
    context = _context()
    if previous is not None and previous.context is not context:
        previous = None
    if previous is not None and previous.text is text:
        return previous
    if previous is not None and change is not None:
        edited = _edit_one_item(text, previous, change)
        if edited is not None:
            return edited
    known = _Known(previous, context)
    chunks = tuple(_cut_chunk(text, span, known) for span in chunk_spans(text))
    return SourceFile(text, chunks, context)


def read_item(item: Item, chunk: Chunk, source: SourceFile) -> Item:
    """Parse an unparsed item of `chunk` and return the result; never raises."""
    return _parse(item.text, chunk.aliases, source.context, item.unclosed)


def parse_item(text: str, aliases: dict[str, Attribute] | None = None) -> Item:
    """Parse `text` as one item, independent of any source; never raises."""
    return _parse(text, aliases, _context())


def _parse(
    text: str, aliases: dict[str, Attribute] | None, context: SharedContext, unclosed: int | None = None
) -> Item:
    return contained(
        "reading an item",
        lambda: _parse_item(text, aliases, context, unclosed),
        lambda message, _: Item(
            text,
            (),
            SpanTable(text),
            (),
            defects=[Problem(DEFECT, Span(0, len(text.partition("\n")[0])), message)],
        ),
    )


def _parse_item(
    text: str, aliases: dict[str, Attribute] | None, context: SharedContext, unclosed: int | None
) -> Item:
    parser = TolerantParser(context, closed(text, unclosed), aliases)
    ops = parser.parse_ops()
    spans = parser.spans
    spans.text = text
    problems = list(parser.problems)
    if unclosed is not None:
        problems.append(not_closed(unclosed))
    problems.sort(key=lambda p: p.span)
    return Item(text, tuple(ops), spans, tuple(problems), unclosed=unclosed, defects=parser.defects)


def use_dialects(dialects: Iterable[Dialect], tables: Mapping[str, OdsDialect] | None = None) -> None:
    """Use the user's dialects for all later parsing; earlier results are not reused.

    `tables` contains the dialects from TableGen dumps.
    """
    fresh = context()
    register(fresh, dialects)
    with _LOCK:
        use_tables(tables or {})
        _CONTEXTS[:] = [fresh]


def known_dialects() -> Collection[str]:
    """Return the names of all dialects that can be parsed, including the user's."""
    return frozenset(_context().registered_dialect_names) | dialect_names()


def _context() -> SharedContext:
    with _LOCK:
        if not _CONTEXTS:
            _CONTEXTS.append(context())
        return _CONTEXTS[0]


_CONTEXTS: list[SharedContext] = []
"""The context for all parsing, created on first use; the list has at most one entry."""
_LOCK = Lock()


class _Known:
    """The items of the previous version of a file, keyed by text and aliases."""

    def __init__(self, previous: SourceFile | None, context: SharedContext) -> None:
        self.context = context
        self._items: dict[tuple[str, str, int | None], Item] = {}
        for chunk in previous.chunks if previous else ():
            for placed in (*chunk.headers, *chunk.items):
                item = placed.item
                self._items[self._key(item.text, chunk.prelude, item.unclosed)] = item

    def item(self, text: str, prelude: str, unclosed: int | None = None) -> Item:
        """Return the item with this text; a new item is unparsed."""
        key = self._key(text, prelude, unclosed)
        item = self._items.get(key)
        if item is None:
            item = self._items[key] = Item.unread(text, unclosed)
        return item

    def header(self, text: str, prelude: str, aliases: dict[str, Attribute]) -> Item:
        """Return the parsed item of a `module` line."""
        item = self.item(text, prelude)
        if not item.is_read:
            item = self._items[self._key(text, prelude)] = _parse(text, aliases, self.context)
        return item

    @staticmethod
    def _key(text: str, prelude: str, unclosed: int | None = None) -> tuple[str, str, int | None]:
        return text, prelude if prelude and _ALIAS_USE.search(text) else "", unclosed


def _cut_chunk(text: str, span: Span, known: _Known) -> Chunk:
    parts = cut(text, span.start, span.end)
    problems: list[Problem] = []
    prelude_parts = [p for p in parts if p.kind == PartKind.PRELUDE]
    prelude = "\n".join(p.span.of(text) for p in prelude_parts)
    aliases: dict[str, Attribute] = {}
    sizes = AliasSizes()
    for part in prelude_parts:
        parser = TolerantParser(known.context, part.span.of(text), aliases, sizes)
        parser.parse_ops()
        aliases = parser.attribute_aliases
        problems += [shift_problem(p, part.span.start) for p in parser.problems]
    items: list[PlacedItem] = []
    headers: list[PlacedItem] = []
    open_modules: list[Part] = []
    for part in parts:
        if part.kind == PartKind.ITEM:
            item = known.item(part.span.of(text), prelude, part.unclosed)
            items.append(PlacedItem(item, part.span.start))
        elif part.kind == PartKind.MODULE:
            open_modules.append(part)
            header = known.header(part.span.of(text) + "}", prelude, aliases)
            headers.append(PlacedItem(header, part.span.start))
        elif part.kind == PartKind.CLOSE:
            if open_modules:
                open_modules.pop()
            else:
                problems.append(
                    Problem("GA001", part.span, "expected operation name in quotes: this '}' closes nothing")
                )
    for part in open_modules:
        brace = Span(part.span.end - 1, part.span.end)
        problems.append(Problem("GA001", brace, NOT_CLOSED))
    in_dump = begins_in_dump(text, span.start)
    return Chunk(span, tuple(items), tuple(headers), prelude, tuple(problems), tuple(parts), aliases, in_dump)


def _edit_one_item(text: str, previous: SourceFile, change: Change) -> SourceFile | None:
    """Split only the item that contains `change`, and leave it unparsed; None if other parts may also
    change."""
    delta = change.new_end - change.old_end
    for number, chunk in enumerate(previous.chunks):
        if not (chunk.span.start <= change.start and change.old_end <= chunk.span.end):
            continue
        for position, placed in enumerate(chunk.items):
            start, end = placed.span
            if not (start < change.start and change.old_end < end):
                continue
            new_text = text[start : end + delta]
            if new_text.startswith(("module", "builtin.module")) or "-----" in new_text:
                return None
            kinds = [part.kind for part in chunk.parts if part.span.start < start]
            around = kinds.count(PartKind.MODULE) - kinds.count(PartKind.CLOSE)
            stop, is_closed, unclosed = item_end(text, start, chunk.span.end + delta, max(around, 0))
            if (stop, is_closed) != (end + delta, True):
                return None
            if (unclosed is None) != (placed.item.unclosed is None) and any(
                part.is_open for part in chunk.parts if part.span.start < start
            ):
                return None  # A brace open there may now close elsewhere.
            chunks = [
                *previous.chunks[:number],
                _with_item(chunk, position, Item.unread(new_text, unclosed), delta),
                *(_shifted(c, delta) for c in previous.chunks[number + 1 :]),
            ]
            return SourceFile(text, tuple(chunks), previous.context)
        return None
    return None


def _with_item(chunk: Chunk, position: int, item: Item, delta: int) -> Chunk:
    """Return `chunk` with `item` at `position`, whose text is `delta` longer than that of the old item."""
    placed = chunk.items[position]
    items = (
        *chunk.items[:position],
        PlacedItem(item, placed.offset),
        *(PlacedItem(i, offset + delta) for i, offset in chunk.items[position + 1 :]),
    )
    edge = placed.offset
    return Chunk(
        Span(chunk.span.start, chunk.span.end + delta),
        items,
        tuple(h if h.offset <= edge else PlacedItem(h.item, h.offset + delta) for h in chunk.headers),
        chunk.prelude,
        tuple(p if p.span.start <= edge else shift_problem(p, delta) for p in chunk.problems),
        tuple(_moved_part(part, edge, delta, item.unclosed) for part in chunk.parts),
        chunk.aliases,
        chunk.in_dump,
    )


def _moved_part(part: Part, edge: int, delta: int, unclosed: int | None) -> Part:
    if part.span.start < edge:
        return part
    if part.span.start == edge:
        return Part(part.kind, Span(edge, part.span.end + delta), unclosed)
    return part._replace(span=part.span.shift(delta))


def _shifted(chunk: Chunk, delta: int) -> Chunk:
    if delta == 0:
        return chunk
    return Chunk(
        chunk.span.shift(delta),
        tuple(PlacedItem(i, offset + delta) for i, offset in chunk.items),
        tuple(PlacedItem(i, offset + delta) for i, offset in chunk.headers),
        chunk.prelude,
        tuple(shift_problem(p, delta) for p in chunk.problems),
        tuple(p._replace(span=p.span.shift(delta)) for p in chunk.parts),
        chunk.aliases,
        chunk.in_dump,
    )
