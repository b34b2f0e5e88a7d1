"""The module after each section; a section with a single function replaces that function of the module.

A state is composed of verbatim pieces of the dump, so each position in the state maps to the dump.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gpuasync_lsp.ide.document.checker import Checker, ItemFindings
from gpuasync_lsp.ide.document.text_diff import changed_range
from gpuasync_lsp.ide.dumps.announced import Announced
from gpuasync_lsp.ide.dumps.canonical import Unit, is_function, lines_of, units
from gpuasync_lsp.ide.dumps.handles import Handles, handles
from gpuasync_lsp.ide.dumps.matching import Known, Places
from gpuasync_lsp.ide.dumps.rope import Rope
from gpuasync_lsp.ide.dumps.sections import Section, scope_of
from gpuasync_lsp.syntax import Change, Item, SourceFile, parse_source
from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.text import Span

_DEFINED = re.compile(r'^  [a-z_][^@"(\n]*@(?:"([^"\n]*)"|([\w$.-]+))([^\n]*)', re.MULTILINE)
"""Matches an op with a symbol in a module's body; its line ends with a brace if the op has a body."""
_SYM_NAME = re.compile(r'\bsym_name = "([^"\n]*)"')
_OF_MODULE = re.compile(r'(?:builtin\.)?module\s+@(?:"([^"\n]*)"|([\w$.-]+))')
_SYMBOL = re.compile(r'@(?:"([^"]*)"|([\w$.-]+))$')


@dataclass(frozen=True)
class State:
    """A module after a section."""

    rope: Rope
    source: SourceFile
    groups: tuple[ItemFindings, ...]
    units: tuple[tuple[Item, tuple[Unit, ...], int], ...]
    """Each item with its units and its offset."""
    preludes: tuple[str, ...]
    """The aliases that are visible to each item."""
    handles: Mapping[str, Handles]
    """Maps each function that has streams or events to the numbers of them."""
    is_whole: bool
    """Whether the whole module was printed, not only some of its functions."""

    def named(self, name: str) -> list[tuple[Unit, Span]]:
        """Return the units with the symbol `name`, with their spans."""
        return [
            (unit, unit.span.shift(offset))
            for _, found, offset in self.units
            for unit in found
            if unit.symbol == name
        ]

    def inner_module(self, name: str) -> Span | None:
        """Return the span of the module `name` nested in the printed one."""
        for chunk in self.source.chunks:
            opened: list[Span] = []
            for part in chunk.parts:
                if part.kind is PartKind.MODULE:
                    opened.append(part.span)
                elif part.kind is PartKind.CLOSE and opened:
                    begin = opened.pop()
                    head = _OF_MODULE.match(self.source.text, begin.start, begin.end)
                    if opened and head is not None and name in head.groups():
                        return Span(begin.start, part.span.end)
        return None

    def findings(self, function: str | None = None, except_for: State | None = None) -> list[Known]:
        """Return all findings, or those in one function, with their spans in the dump.

        Omit findings of items that are unchanged from the state `except_for`."""
        same = (
            {(id(group.item), id(group.findings)) for group in except_for.groups}
            if except_for
            else set[tuple[int, int]]()
        )
        known_units = {item: found for item, found, _ in self.units}
        found: list[Known] = []
        for group in self.groups:
            if not group.findings or (group.item and (id(group.item), id(group.findings)) in same):
                continue
            places = Places(group.item, known_units.get(group.item, ())) if group.item else None
            for finding in group.findings:
                placed = self.rope.finding(finding.shift(group.offset))
                known = places.known(finding, placed) if places else Known(placed, "", "", "")
                if is_in(known.function, function):
                    found.append(known)
        return found

    def all_units(self, function: str | None = None) -> Iterator[Unit]:
        """Yield all units, or those of one function."""
        for _, found, _ in self.units:
            yield from (unit for unit in found if is_in(unit.path, function))

    def lines(self, paths: Container[str]) -> dict[str, Counter[str]]:
        """Return the canonical lines of the units `paths`, with all value names equal."""
        return {
            unit.path: lines_of(item, unit, prelude)
            for (item, found, _), prelude in zip(self.units, self.preludes, strict=True)
            for unit in found
            if unit.path in paths
        }

    def has_kind(self, function: str, kind: str) -> bool:
        """Return whether a function has an op of this kind."""
        return any(unit.path == function and kind in unit.ops for unit in self.all_units())


def is_in(path: str, function: str | None) -> bool:
    """Return whether the symbol `path` is `function`, or nested in it; True if `function` is None."""
    if function is None:
        return True
    parts = path.split("::")
    return function in parts or path == function


class Track:
    """The states of one module, section by section."""

    def __init__(self, checker: Checker, ends_later: Callable[[Section], bool]) -> None:
        self._checker = checker
        self._symbols: set[str] = set()
        self.state: State | None = None
        self.section: Section | None = None
        """The last section."""
        self.announced = Announced(ends_later)
        self.has_ended = False

    def owns(self, symbols: frozenset[str]) -> bool:
        """Return whether a printed module that defines `symbols` is this module."""
        return not self.has_ended and (not symbols or not self._symbols.isdisjoint(symbols))

    def take(self, text: str, section: Section) -> bool:
        """Advance to the text of `section`; return False if its position in the module is unknown."""
        rope = self._rope(text, section)
        if rope is None:
            return False
        is_module = self.prints_all(text, section)
        is_whole = is_module or (self.state is not None and self.state.is_whole)
        source = self._parsed(rope.text)
        seen_as = source if is_whole else _part_of_module(source)
        contexts = self._checker.contexts.of(seen_as)
        groups = self._checker.check_source(seen_as, contexts)
        found = tuple(
            (placed.item, units(placed.item, chunk.prelude), placed.offset)
            for chunk in source.chunks
            for placed in chunk.items
        )
        preludes = tuple(chunk.prelude for chunk in source.chunks for _ in chunk.items)
        seen = [context for _, of_items in contexts for context in of_items]
        profile = self._checker.config.profile
        made: dict[str, Handles] = {}
        for (item, of_item, _), context in zip(found, seen, strict=True):
            made |= handles(item, of_item, context, profile)
        self.state = State(rope, source, groups, found, preludes, made, is_whole)
        self.section = section
        if is_module:
            self._symbols.clear()
        if is_module or not prints_module(text, section):
            self._symbols |= printed_symbols(text, section)
        return True

    def holds_module(self, name: str) -> bool:
        """Return whether a module called `name` is nested in this module."""
        return not self.has_ended and self.state is not None and self.state.inner_module(name) is not None

    def prints_all(self, text: str, section: Section) -> bool:
        """Return whether a section prints this module, not a nested one."""
        name = _name(text, section)
        return prints_module(text, section) and not (name and self.holds_module(name))

    def knows(self, text: str, section: Section) -> bool:
        """Return whether an earlier section printed the op that `section` prints."""
        if self.state is None:
            return False
        return (
            self.state.is_whole or prints_module(text, section) or self.owns(printed_symbols(text, section))
        )

    def _rope(self, text: str, section: Section) -> Rope | None:
        if section.torn or section.body.start == section.body.end:
            return None
        if self.state is None or self.prints_all(text, section):
            return Rope(text, [section.body])
        name = _name(text, section)
        if name is None:
            return None
        inner = self.state.inner_module(name) if prints_module(text, section) else None
        if inner is not None:
            return self.state.rope.replaced(inner, section.body)
        printed = scope_of(text, section.body).partition(" ")[0]
        places = self.state.named(name)
        # Outlining gives a kernel its module's name; passes convert functions to a different dialect.
        places = [each for each in places if is_function(each[0].op_name) == is_function(printed)]
        places = [each for each in places if each[0].op_name == printed] or places
        if len(places) > 1:
            # The symbol is ambiguous. If one of the units is unchanged, replacing it with itself is harmless.
            alone = [unit.form for unit in _alone(section.body.of(text))]
            places = [(unit, span) for unit, span in places if [unit.form] == alone][:1]
            if not places:
                return None
        if places:
            return self.state.rope.replaced(places[0][1], section.body)
        whole = self.state.rope.text
        if not self.state.is_whole:
            return self.state.rope.replaced(Span(len(whole), len(whole)), section.body)
        if f"@{name}" in whole or f'@"{name}"' in whole:
            return None  # The symbol is inside an unknown op.
        end = whole.rfind("}")
        return self.state.rope.replaced(Span(end, end), section.body)

    def _parsed(self, text: str) -> SourceFile:
        if self.state is None:
            return parse_source(text)
        old = self.state.source
        return parse_source(text, old, Change(*changed_range(old.text, text)))


def _part_of_module(source: SourceFile) -> SourceFile:
    chunks = tuple(replace(chunk, in_dump=True) for chunk in source.chunks)
    return replace(source, chunks=chunks)


def _alone(text: str) -> tuple[Unit, ...]:
    found = [(item, chunk.prelude) for chunk in parse_source(text).chunks for item, _ in chunk.items]
    return units(*found[0]) if len(found) == 1 else ()


def prints_module(text: str, section: Section) -> bool:
    """Return whether a section prints a whole module."""
    return scope_of(text, section.body).startswith("builtin.module")


def printed_module(text: str, section: Section) -> str | None:
    """Return the name of the module that a section prints; None without a name, or for any other op."""
    return _name(text, section) if prints_module(text, section) else None


def printed_symbols(text: str, section: Section) -> frozenset[str]:
    """Return the top-level symbols of a section's op: its functions with bodies and nested modules."""
    if not prints_module(text, section):
        name = _name(text, section)
        return frozenset() if name is None else frozenset({name})
    defined = (m for m in _DEFINED.finditer(text, *section.body) if m[3].rstrip("\r").endswith("{"))
    found = [m[1] or m[2] for m in defined] + [m[1] for m in _SYM_NAME.finditer(text, *section.body)]
    return frozenset(name for name in found if name)


def _name(text: str, section: Section) -> str | None:
    symbol = _SYMBOL.search(scope_of(text, section.body))
    return None if symbol is None else symbol[1] or symbol[2]


def counted(found: Iterable[Unit]) -> Counter[str]:
    """Return the number of ops of each kind in all units."""
    counts: Counter[str] = Counter()
    for unit in found:
        counts.update(unit.ops)
    return counts


def delta(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of `after` minus those of `before`, sorted by name."""
    return {
        name: after[name] - before.get(name, 0) for name in sorted(after) if after[name] > before.get(name, 0)
    }
