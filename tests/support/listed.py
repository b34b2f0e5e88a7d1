"""Findings in the form in which they are reported, with equal ones grouped."""

from __future__ import annotations

from collections.abc import Iterable

from gpuasync_lsp.ide.document.grouping import grouped
from gpuasync_lsp.text import Finding, in_text_order


def listed(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings of one item in text order, with groups of equal ones replaced by one finding."""
    found = in_text_order(findings)
    together = grouped(found)
    shown = (together.get(number, finding) for number, finding in enumerate(found))
    return [finding for finding in shown if finding is not None]
