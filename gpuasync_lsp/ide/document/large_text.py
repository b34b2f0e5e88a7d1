"""Checks as much of a file as a limit on CPU time allows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from gpuasync_lsp.ide.document.checker import Checker
from gpuasync_lsp.syntax.source import Item, cut_source, read_item
from gpuasync_lsp.text import Finding, Span
from gpuasync_lsp.text.effort import thread_time

SECONDS = 60.0
"""The time limit per file. 8 MB of small functions take 40 s."""
_READING = 0.5
"""The fraction of the time limit for reading items."""
_LEAST = 1.0
"""The minimum time in seconds for reading, and for checking."""
_PER_CHARACTER = 1e-6
"""The estimated seconds per character read; an item that would exceed the remaining time is not read."""


def check_in_time(
    checker: Checker, text: str, clock: Callable[[], float] = thread_time
) -> tuple[tuple[Finding, ...], int | None]:
    """Check `text` within the time limit; return the findings and the end of the checked part.

    The findings are in text order; the end is None if everything was checked. `clock` returns the processor
    time in seconds. Splitting the text counts toward the limit but is never interrupted."""
    begun = clock()
    source = cut_source(text)
    read: dict[Item, Item] = {}
    end = max(begun + _READING * SECONDS, clock() + _LEAST)
    for (item, _), chunk in source.unread:
        if clock() + len(item.text) * _PER_CHARACTER > end:
            break
        if item not in read:
            read[item] = read_item(item, chunk, source)
    source = source.with_items(read)
    checker.follow(source)
    contexts = checker.contexts.of(source)
    end = max(begun + SECONDS, clock() + _LEAST)
    groups = checker.check_source(source, contexts, [Span(0, len(text))], lambda: clock() > end)
    found = [finding.shift(group.offset) for group in groups for finding in group.findings]
    done = sum(group.item is not None for group in groups)
    left = next(islice(source.items, done, None), None)
    return tuple(sorted(found, key=lambda f: (f.span, f.code))), None if left is None else left.offset
