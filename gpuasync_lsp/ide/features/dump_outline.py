"""The outline of an IR dump: passes, each with the symbols that were printed after or before it."""

from __future__ import annotations

from bisect import bisect_right

from gpuasync_lsp.ide.dumps.sections import Phase, Section, sections
from gpuasync_lsp.ide.features.outline import OutlineEntry, SymbolSort, outline
from gpuasync_lsp.syntax.source import SourceFile

_WORDS = {Phase.BEFORE: "before", Phase.FAILED: "failed", Phase.LABEL: "printed"}


def outline_by_pass(source: SourceFile) -> list[OutlineEntry]:
    """Return the outline of a text; of a dump, what each section prints below an entry for its pass."""
    entries = outline(source)
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
