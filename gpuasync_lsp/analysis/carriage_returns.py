"""Converts the line endings of fixes in files with CRLF line endings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.text import Edit, Finding, Fix

_BARE_LINE_FEED = re.compile(r"(?<!\r)\n")


def has_carriage_returns(text: str) -> bool:
    """Return whether lines of `text` end with CRLF. Searching for a single CR first is faster."""
    return "\r" in text and "\r\n" in text


def as_item_ends_lines(findings: Sequence[Finding], item: Item) -> Sequence[Finding]:
    """Return `findings` with fixes that use the item's line endings."""
    if not findings or not has_carriage_returns(item.text):
        return findings
    return [replace(f, fixes=tuple(map(_with_carriage_returns, f.fixes))) if f.fixes else f for f in findings]


def _with_carriage_returns(fix: Fix) -> Fix:
    edits = tuple(Edit(edit.span, _BARE_LINE_FEED.sub("\r\n", edit.text), edit.within) for edit in fix.edits)
    return replace(fix, edits=edits)
