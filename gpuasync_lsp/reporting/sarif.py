"""Findings as SARIF 2.1.0 (OASIS standard), for code-scanning services and SARIF viewers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from gpuasync_lsp import __version__
from gpuasync_lsp.reporting.report import FileReport, RuleInfo
from gpuasync_lsp.text import Finding, Fix, Safety, Severity, Span

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}

Json = dict[str, object]


def sarif_report(reports: Sequence[FileReport], rules: Sequence[RuleInfo]) -> str:
    """Return one SARIF log with one run; `rules` describe the codes that findings name."""
    order = {rule.code: at for at, rule in enumerate(rules)}
    driver: Json = {"name": "gpuasync-lsp", "version": __version__, "rules": [_rule(r) for r in rules]}
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, f, order) for report in reports for f in report.findings],
    }
    log: Json = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: RuleInfo) -> Json:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": rule.help, "markdown": rule.help},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(report: FileReport, finding: Finding, order: dict[str, int]) -> Json:
    result: Json = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(report, finding.span)],
        "properties": {"llvm": report.llvm, "severity": finding.severity.name.lower()},
    }
    if finding.code in order:
        result["ruleIndex"] = order[finding.code]
    if finding.related:
        result["relatedLocations"] = [
            {"id": at, **_location(report, related.span), "message": {"text": related.message}}
            for at, related in enumerate(finding.related)
        ]
    # A viewer may apply a SARIF fix without asking: only those that keep the meaning are offered.
    fixes = [_fix(report, fix) for fix in finding.fixes if fix.safety is Safety.SAFE]
    if fixes:
        result["fixes"] = fixes
    return result


def _fix(report: FileReport, fix: Fix) -> Json:
    replacements = [
        {"deletedRegion": _region(report, edit.span), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    change: Json = {"artifactLocation": _artifact(report), "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _location(report: FileReport, span: Span) -> Json:
    return {
        "physicalLocation": {"artifactLocation": _artifact(report), "region": _region(report, span)},
    }


def _artifact(report: FileReport) -> Json:
    path = Path(report.file)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}


def _region(report: FileReport, span: Span) -> Json:
    (line, column), (last, end) = report.start(span), report.end(span)
    return {"startLine": line, "startColumn": column, "endLine": last, "endColumn": end}
