"""Attaches findings to the rows of a picture."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from gpuasync_lsp.ide.streams.drawing.places import Places
from gpuasync_lsp.ide.streams.drawing.table import Table
from gpuasync_lsp.ide.streams.model import Mark
from gpuasync_lsp.text import Finding


def mark(findings: Sequence[Finding], table: Table, places: Places) -> tuple[Mark, ...]:
    """Add a mark to the row of each finding; return the marks of findings without a row."""
    spans = places.function.spans
    placed = sorted(
        (spans.op(op).start, spans.op(op).end, row) for op, row in table.row_of.items() if op in spans.ops
    )
    starts = [start for start, _, _ in placed]

    def row_at(offset: int) -> int | None:
        at = bisect_right(starts, offset) - 1
        return placed[at][2] if at >= 0 and offset < placed[at][1] else None

    marks: dict[int, list[Mark]] = {}
    rest: list[Mark] = []
    for finding in findings:
        row = row_at(finding.span.start)
        others = (row_at(r.span.start) for r in finding.related if not r.within)
        mark = Mark(
            finding.code,
            finding.name,
            finding.severity,
            finding.message,
            places.of_span(finding.span),
            tuple(sorted({o for o in others if o is not None and o != row})),
            has_fix=bool(finding.fixes),
        )
        if row is None:
            rest.append(mark)
        else:
            marks.setdefault(row, []).append(mark)
    for row, found in marks.items():
        table.rows[row] = replace(table.rows[row], marks=tuple(found))
    return tuple(rest)
