"""Checks as much of a very large text as a time of the processor allows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from time import thread_time

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.syntax.source import Item, cut_source, read_item
from gpuasync_lsp.text import Finding, Span

LARGE = 8_000_000
"""Characters from which on a text is checked so; smaller ones are checked as a whole."""
SECONDS = 12.0
_READING = 0.4
"""The part of the time in which items are read."""
_LEAST = 1.0
"""Seconds that reading, and checking, get at least."""


def check_in_time(
    checker: Checker, text: str, clock: Callable[[], float] = thread_time
) -> tuple[tuple[Finding, ...], int | None]:
    """Return the findings of `text` in text order, and where it was stopped, None where all is checked.

    `clock` gives the seconds of the processor that went by. Cutting the text counts, and is never stopped."""
    begun = clock()
    source = cut_source(text)
    read: dict[Item, Item] = {}
    end = max(begun + _READING * SECONDS, clock() + _LEAST)
    for (item, _), chunk in source.unread:
        if clock() > end:
            break
        if item not in read:
            read[item] = read_item(item, chunk, source)
    source = source.with_items(read)
    contexts = checker.contexts.of(source)
    end = max(begun + SECONDS, clock() + _LEAST)
    groups = checker.check_source(source, contexts, [Span(0, len(text))], lambda: clock() > end)
    found = [finding.shift(group.offset) for group in groups for finding in group.findings]
    done = sum(group.item is not None for group in groups)
    left = next(islice(source.items, done, None), None)
    return tuple(sorted(found, key=lambda f: (f.span, f.code))), None if left is None else left.offset
