"""Findings as a JSON object for programs; lines and columns are 1-based, columns in code points.

`check.schema.json` next to this file defines the format. `VERSION` is incremented by changes that break
programs that read the object; adding a key does not.
"""

from __future__ import annotations

import json
from typing import TypedDict

from gpuasync_lsp import __version__
from gpuasync_lsp.reporting.report import FileReport, Identity, Outcome
from gpuasync_lsp.text import Edit, Finding, Fix, Related


class Place(TypedDict):
    """A 1-based line and column."""

    line: int
    column: int


VERSION = 1


def json_report(outcome: Outcome) -> str:
    """Return a JSON object with one entry per finding and per error."""
    findings, mistakes = outcome.written(_entry)
    errors = [{"message": str(m), "file": m.file, "line": m.line} for m in mistakes]
    written = {
        "version": VERSION,
        "tool": f"gpuasync-lsp {__version__}",
        "findings": findings,
        "errors": errors,
    }
    return json.dumps(written, indent=2, ensure_ascii=False) + "\n"


def _entry(report: FileReport, finding: Finding, identity: Identity) -> dict[str, object]:
    return {
        **finding_object(report, finding),
        "function": identity.function,
        "fingerprint": identity.fingerprint,
        "loc": [
            {"file": file, "line": line, "column": column}
            for file, line, column in report.origins.get(finding, ())
        ],
    }


def finding_object(report: FileReport, finding: Finding) -> dict[str, object]:
    """Return one finding of `report` as a JSON object."""
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
