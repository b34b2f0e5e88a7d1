"""What can be said at once of a large function that somebody breaks by typing: the errors.

What follows from them takes a model of the whole function, which the next key may make worthless. Until it
is there, findings elsewhere are those of the text before; and as long as the function is broken, what was
said of the paths through it stays, of which nobody can say anything else (`JUDGED`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuasync_lsp.analysis import SAY_ERRORS, Comments, FileContext, comments, parse_errors
from gpuasync_lsp.ide.document.checker import Checker, ItemFindings, keep
from gpuasync_lsp.syntax.source import Change, Item, PlacedItem, SourceFile
from gpuasync_lsp.text import Finding, Span


def errors_first(
    source: SourceFile,
    change: Change,
    before: SourceFile,
    shown: Sequence[ItemFindings],
    contexts: Mapping[int, FileContext],
    checker: Checker,
    large: int,
) -> tuple[ItemFindings, ...] | None:
    """Return the findings to show of `source`, which `change` made of `before`, until all are looked for.

    `shown` are the findings that were shown of `before`, `contexts` those of its items by offset. None where
    it is not one item of `large` characters at least that was edited and has errors.
    """
    offsets = {placed.item: placed.offset for placed in source.items}
    edited = _edited(source, before)
    if edited is None or len(edited[1].item.text) < large or not edited[1].item.problems:
        return None
    old, new = edited
    context = contexts.get(old.offset)
    if context is None:
        return None
    notes = comments(source.text)
    delta = change.new_end - change.old_end
    groups: list[ItemFindings] = []
    for group in shown:
        if group.item is None:
            moved = tuple(finding.behind(change.old_end, delta) for finding in group.findings)
            groups.append(replace(group, findings=moved))
        elif group.item is not old.item:
            groups.append(replace(group, offset=offsets[group.item]))
    known = next((group.findings for group in shown if group.item is old.item), ())
    near = Span(change.start - old.offset, change.old_end - old.offset)
    moved = _moved(known, near, delta, old.item)
    keep(new.item, checker.config, moved)
    found = [*moved, *parse_errors(new.item, context, checker.config)]
    groups.append(ItemFindings(new.item, new.offset, _spoken(found, notes, new.offset)))
    return tuple(groups)


def _edited(source: SourceFile, before: SourceFile) -> tuple[PlacedItem, PlacedItem] | None:
    """Return the one item that is another, as it was and as it is; None if there are several, or more or
    fewer than before."""
    old, new = list(before.items), list(source.items)
    if len(old) != len(new):
        return None
    pairs = [pair for pair in zip(old, new, strict=True) if pair[0].item is not pair[1].item]
    return pairs[0] if len(pairs) == 1 and pairs[0][0].offset == pairs[0][1].offset else None


def _moved(findings: Sequence[Finding], edit: Span, delta: int, item: Item) -> list[Finding]:
    """Return the findings of the text before, but for errors and what is said or repaired in the lines of
    `edit`, at their new places."""
    end = item.text.find("\n", edit.end)
    lines = Span(item.text.rfind("\n", 0, edit.start) + 1, len(item.text) if end < 0 else end)
    moved: list[Finding] = []
    for finding in findings:
        extent = finding.extent
        if finding.code in SAY_ERRORS or extent is None:
            continue
        first, last = extent
        is_near = first <= lines.end and lines.start <= last
        if is_near and any(p.start <= lines.end and lines.start <= p.end for p in finding.places):
            continue
        moved.append(finding.behind(edit.end, delta) if delta and last >= edit.end else finding)
    return moved


def _spoken(findings: Sequence[Finding], notes: Comments, offset: int) -> tuple[Finding, ...]:
    """Return in text order what comments do not silence."""
    left = [f for f in findings if not notes.any or not notes.silences(f.shift(offset))]
    return tuple(sorted(left, key=lambda f: (f.span, f.code)))
