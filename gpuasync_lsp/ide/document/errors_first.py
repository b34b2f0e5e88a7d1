"""What can be said at once of a large function that somebody breaks by typing: the errors.

What follows from them takes a model of the whole function, which the next key may make worthless. Until it
is there, findings elsewhere are those of the text before; and as long as the function is broken, what was
said of the paths through it stays, of which nobody can say anything else (`JUDGED`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuasync_lsp.analysis import JUDGED, SAY_ERRORS, FileContext, comments, parse_errors
from gpuasync_lsp.ide.document.checker import Checker, ItemFindings, keep, keeps_all
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.patch import from_line_start
from gpuasync_lsp.syntax.source import Change, Item, PlacedItem, SourceFile
from gpuasync_lsp.text import NOTHING, FindingList, Span


def errors_first(
    source: SourceFile,
    change: Change,
    before: SourceFile,
    shown: Sequence[ItemFindings],
    contexts: Mapping[int, FileContext],
    checker: Checker,
    large: int,
    *,
    are_all: bool,
) -> tuple[tuple[ItemFindings, ...], bool] | None:
    """Return the findings to show of `source`, which `change` made of `before`, until all are looked for, and
    whether these are all: nothing is another but a statement that does not parse.

    `shown` are the findings that were shown of `before`, and `are_all` that there were, `contexts` those of
    its items by offset. None where it is not one item of `large` characters at least that was edited and has
    errors.
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
    edit, delta = Span(change.start, change.old_end), change.new_end - change.old_end
    groups: list[ItemFindings] = []
    for group in shown:
        if group.item is None:
            moved = group.findings.after(change.old_end, delta, _lines(before.text, edit))
            groups.append(replace(group, findings=moved))
        elif group.item is not old.item:
            groups.append(replace(group, offset=offsets[group.item]))
    known = next((group.findings for group in shown if group.item is old.item), NOTHING)
    near = from_line_start(before.text, source.text, change).shift(-old.offset)
    lines = _lines(old.item.text, near)
    if old.item.text.endswith("\n", 0, near.end) and new.item.text.endswith("\n", 0, near.end + delta):
        lines = Span(lines.start, near.end)  # The next line begins behind them.
    left = _left(known, near.end, delta, lines)
    errors = [
        each
        for each in parse_errors(new.item, context, checker.config)
        if not notes.any or not notes.silences(each.shift(new.offset))
    ]
    found = left.with_more(errors)
    # Comments may silence others now, and a pass before the analysis may make something else of it.
    apart = notes.any or checker.config.pipeline or known.scattered
    is_all = (
        (are_all or keeps_all(old.item))
        and not apart
        and (new.item.only_breaks or new.item.has_same_ops)
        and not _has_sound_statements(new.item, Span(lines.start, lines.end + delta))
    )
    keep(new.item, checker.config, found, is_all=is_all)
    groups.append(ItemFindings(new.item, new.offset, found))
    return tuple(groups), is_all


def _left(known: FindingList, edge: int, delta: int, lines: Span) -> FindingList:
    """Return what is left of findings, at their places behind an edit of `lines` that ends at `edge`: all but
    errors, and what is said or repaired in these. What mends a path through may be worth nothing now."""
    left = known.but({*known.touching(lines)})
    return left.without(SAY_ERRORS | left.scattered).without_fixes(JUDGED).after(edge, delta, lines)


def _has_sound_statements(item: Item, lines: Span) -> bool:
    """Tell whether a statement begins in `lines` that parses: what is said of it has to be looked for."""
    return any(
        lines.start <= item.spans.name(op).start <= lines.end
        and not (isinstance(op, OpaqueOp) and op.is_error)
        for op in item.spans.within(item.ops, lines)
    )


def _edited(source: SourceFile, before: SourceFile) -> tuple[PlacedItem, PlacedItem] | None:
    """Return the one item that is another, as it was and as it is; None if there are several, or more or
    fewer than before."""
    old, new = list(before.items), list(source.items)
    if len(old) != len(new):
        return None
    pairs = [pair for pair in zip(old, new, strict=True) if pair[0].item is not pair[1].item]
    return pairs[0] if len(pairs) == 1 and pairs[0][0].offset == pairs[0][1].offset else None


def _lines(text: str, edit: Span) -> Span:
    """Return the lines of `text` that are edited."""
    end = text.find("\n", edit.end)
    return Span(text.rfind("\n", 0, edit.start) + 1, len(text) if end < 0 else end)
