"""Findings as a JSON list, for programs; lines and columns count from 1, columns in code points."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypedDict

from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.text import Edit, Finding, Fix, Related


class Place(TypedDict):
    """A line and a column, both from 1."""

    line: int
    column: int


def json_report(reports: Sequence[FileReport]) -> str:
    """Return a JSON list with one object for every finding of `reports`."""
    rows = [finding_object(report, finding) for report in reports for finding in report.findings]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def finding_object(report: FileReport, finding: Finding) -> dict[str, object]:
    """Return one finding of `report` as JSON has it."""
    return {
        "file": report.file,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.name.lower(),
        "message": finding.message,
        "llvm": report.llvm,
        "start": _place(report.start(finding.span)),
        "end": _place(report.end(finding.span)),
        "related": [_related(report, related) for related in finding.related],
        "fixes": [_fix(report, fix) for fix in finding.fixes],
    }


def _related(report: FileReport, related: Related) -> dict[str, object]:
    start, end = _place(report.start(related.span)), _place(report.end(related.span))
    return {"message": related.message, "start": start, "end": end}


def _fix(report: FileReport, fix: Fix) -> dict[str, object]:
    edits = [_edit(report, edit) for edit in fix.edits]
    return {"title": fix.title, "safety": fix.safety.value, "edits": edits}


def _edit(report: FileReport, edit: Edit) -> dict[str, object]:
    start, end = _place(report.start(edit.span)), _place(report.end(edit.span))
    return {"start": start, "end": end, "text": edit.text}


def _place(position: tuple[int, int]) -> Place:
    return {"line": position[0], "column": position[1]}
