"""Formatting: indentation and spaces as mlir-opt prints them; everything else is kept.

Only the spaces between words change, so the meaning cannot change: a test parses every file of the corpus
before and after. Comments, names, the order of ops and line breaks are kept, and so is the text between `<`
and `>` of an unknown dialect, as in MLIR. An op that cannot be parsed is kept, since its brackets may not
match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from gpuasync_lsp.ide.features.line_format import State, format_line, within
from gpuasync_lsp.ide.lookup.pieces import cut
from gpuasync_lsp.syntax import SourceFile, parse_source
from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.text import Edit, LineIndex, Span, apply_edits

_SYNTAX_ERROR = "GA001"


class Broken(NamedTuple):
    """The lines of an item that cannot be parsed, and the number of modules around it."""

    first: int
    last: int
    modules: int


def broken_regions(source: SourceFile, lines: LineIndex) -> Iterator[Broken]:
    """Yield the items with a syntax error, in order; their lines are not formatted."""
    for chunk in source.chunks:
        broken = {
            placed.offset: placed.span
            for placed in chunk.items
            if any(problem.code == _SYNTAX_ERROR for problem in placed.item.problems)
        }
        modules = 0
        for part in chunk.parts:
            if part.kind is PartKind.MODULE:
                modules += 1
            elif part.kind is PartKind.CLOSE:
                modules = max(modules - 1, 0)
            elif span := broken.get(part.span.start):
                first, last = (lines.position(offset)[0] for offset in (span.start, span.end))
                yield Broken(first, last, modules)


def format_edits(
    lines: LineIndex, first: int = 0, last: int | None = None, broken: Iterable[Broken] = ()
) -> Iterator[Edit]:
    """Yield edits that format the lines `first` to `last` (inclusive; all by default), one per changed line.

    Lines of `broken`, which is in text order, are kept; the lines after them are indented as if they were
    valid.
    """
    last = lines.line_count - 1 if last is None else min(last, lines.line_count - 1)
    state = State()
    regions = iter(broken)
    region = next(regions, None)
    behind = 0
    for piece in cut(lines.text):
        begin, behind = behind, behind + _line_count(piece)
        if begin > last:
            return
        is_whole = behind <= first or (first <= begin and behind <= last + 1)
        if is_whole and (region is None or behind <= region.first):
            known = _formatted(piece, state)
            state = known.behind
            for number, formatted in known.changed if first <= begin else ():
                yield _edit(lines, begin + number, formatted)
            continue
        for number in range(begin, min(behind, last + 1)):
            while region is not None and number > region.last:
                state, region = within(region.modules), next(regions, None)
            if region is not None and number >= region.first:
                continue
            text = lines.line_text(number)
            formatted, state = format_line(text, state)
            if number >= first and formatted != text:
                yield _edit(lines, number, formatted)


def _edit(lines: LineIndex, number: int, formatted: str) -> Edit:
    """Return the smallest edit that turns a line into `formatted`, so that cursors and bookmarks do not
    move."""
    text, start = lines.line_text(number), lines.starts[number]
    begin = _common(text, formatted)
    end = _common(text[begin:][::-1], formatted[begin:][::-1])
    return Edit(Span(start + begin, start + len(text) - end), formatted[begin : len(formatted) - end])


class _Formatted(NamedTuple):
    """The changes that format a piece of a document, and the state after the piece."""

    changed: tuple[tuple[int, str], ...]
    """The changed lines, by number."""
    behind: State


@lru_cache(maxsize=1_024)
def _formatted(piece: str, state: State) -> _Formatted:
    """Return the formatted form of a piece, given the state before it.

    Memoized, so that an edit of a large text reformats only its piece."""
    lines = LineIndex(piece)
    changed: list[tuple[int, str]] = []
    for number in range(_line_count(piece)):
        text = lines.line_text(number)
        formatted, state = format_line(text, state)
        if formatted != text:
            changed.append((number, formatted))
    return _Formatted(tuple(changed), state)


def _line_count(piece: str) -> int:
    """Return the number of lines that begin in a piece, without the line after a final line feed."""
    ends = piece.count("\n") if "\r" not in piece else LineIndex(piece).line_count - 1
    return ends + (not piece.endswith("\n"))


def formatted(text: str) -> str:
    """Return a whole file formatted; only white space differs."""
    lines = LineIndex(text)
    return apply_edits(text, list(format_edits(lines, broken=broken_regions(parse_source(text), lines))))


def indentation(lines: LineIndex, number: int, item_line: int = 0, modules: int = 0) -> int:
    """Return the indentation of the line `number`, from the lines above it.

    Scanning may start at `item_line`, the first line of the item, which is inside `modules` modules.
    """
    state = within(modules)
    for piece in (
        cut(lines.text[lines.starts[item_line] : lines.starts[number]]) if item_line < number else ()
    ):
        state = _formatted(piece, state).behind
    return state.indent_of(lines.line_text(number).lstrip())


def _common(a: str, b: str) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
