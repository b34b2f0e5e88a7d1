"""The outline of an IR dump: passes, with the symbols printed in their sections."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from gpuasync_lsp.ide.dumps.sections import Phase, Section, sections
from gpuasync_lsp.ide.features.outline import OutlineEntry, SymbolSort, outline
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span

_WORDS = {Phase.BEFORE: "before", Phase.FAILED: "failed", Phase.LABEL: "printed", Phase.STEP: "inside a pass"}


def outline_by_pass(source: SourceFile) -> list[OutlineEntry]:
    """Return the outline of a document; for a dump, an entry per pass with the symbols of its section."""
    entries = [*outline(_read(source)), *_unread(source)]
    found = sections(source.text)
    if not found:
        return entries
    passes = [_entry(section) for section in found]
    starts = [each.span.start for each in passes]
    beside: list[OutlineEntry] = []
    for entry in entries:
        at = bisect_right(starts, entry.span.start) - 1
        is_in = at >= 0 and entry.span.end <= passes[at].span.end
        (passes[at].children if is_in else beside).append(entry)
    return sorted((*passes, *beside), key=lambda entry: entry.span)


_NAMED = re.compile(r'([a-z_][\w$.]*)(?: [a-z]+)*[ ]+(@(?:"[^"\n]*"|[\w$.-]+))([^\n]*)')


def _read(source: SourceFile) -> SourceFile:
    """Return `source` without its unread items, which are in hidden sections of a large dump."""
    if next(source.unread, None) is None:
        return source
    chunks = (replace(c, items=tuple(p for p in c.items if p.item.is_read)) for c in source.chunks)
    return SourceFile(source.text, tuple(chunks), source.context)


def _unread(source: SourceFile) -> Iterator[OutlineEntry]:
    """Yield outline entries for the unread items, built from their first lines."""
    for placed, _ in source.unread:
        named = _NAMED.match(placed.item.text)
        if named is None:
            continue
        sort = SymbolSort.GLOBAL if named[1].endswith("global") else SymbolSort.FUNCTION
        sort = SymbolSort.MODULE if named[1].endswith("module") else sort
        name = Span(*named.span(2)).shift(placed.offset)
        yield OutlineEntry(named[2], " ".join(named[0].split()), sort, placed.span, name, "")


def _entry(section: Section) -> OutlineEntry:
    word = _WORDS.get(section.phase, "")
    return OutlineEntry(
        section.pass_name or section.phase.value,
        " ".join(part for part in (word, section.scope) if part),
        SymbolSort.PASS,
        section.whole,
        section.header,
        "",
    )
