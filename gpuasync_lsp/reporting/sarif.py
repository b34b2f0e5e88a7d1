"""Findings as SARIF 2.1.0 (OASIS standard), for code-scanning services and SARIF viewers."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from gpuasync_lsp import __version__
from gpuasync_lsp.reporting.paths import from_here
from gpuasync_lsp.reporting.report import FileReport, Mistake, Outcome, RuleInfo
from gpuasync_lsp.text import Finding, Fix, Safety, Severity, Span

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}

Json = dict[str, object]


ROOT = "%SRCROOT%"
"""The base of relative URIs; code-scanning services map it to the root of the repository."""


def sarif_report(outcome: Outcome) -> str:
    """Return a SARIF log with a single run."""
    order = {rule.code: at for at, rule in enumerate(outcome.rules)}
    driver: Json = {
        "name": "gpuasync-lsp",
        "version": __version__,
        "rules": [_rule(r) for r in outcome.rules],
    }
    results, mistakes = outcome.written(
        lambda report, finding, identity: _result(report, finding, order, identity.fingerprint)
    )
    run: Json = {
        "tool": {"driver": driver},
        "invocations": [_invocation(mistakes)],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder that gpuasync-lsp ran in."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log: Json = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _invocation(mistakes: Sequence[Mistake]) -> Json:
    invocation: Json = {"executionSuccessful": not mistakes}
    for key, of_settings in (
        ("toolExecutionNotifications", False),
        ("toolConfigurationNotifications", True),
    ):
        if notifications := [_notification(m) for m in mistakes if m.is_setting is of_settings]:
            invocation[key] = notifications
    return invocation


def _notification(mistake: Mistake) -> Json:
    notification: Json = {"level": "error", "message": {"text": mistake.message}}
    if mistake.file:
        place: Json = {"artifactLocation": _artifact(mistake.file)}
        if mistake.line:
            place["region"] = {"startLine": mistake.line}
        notification["locations"] = [{"physicalLocation": place}]
    return notification


def _rule(rule: RuleInfo) -> Json:
    description: Json = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _description(rule)},
        "help": {"text": rule.help, "markdown": rule.help},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }
    if rule.uri:
        description["helpUri"] = rule.uri
    return description


def _description(rule: RuleInfo) -> str:
    """Return the first section of the rule's page, which describes the effect of the reported code."""
    _, _, after = rule.help.partition("## What happens\n")
    return after.partition("\n## ")[0].strip() or rule.summary


def _result(report: FileReport, finding: Finding, order: dict[str, int], fingerprint: str) -> Json:
    result: Json = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(report, finding.span)],
        "partialFingerprints": {"gpuasync/v1": fingerprint},
        "properties": {"llvm": report.llvm, "severity": finding.severity.name.lower()},
    }
    if finding.code in order:
        result["ruleIndex"] = order[finding.code]
    related = [
        *(
            (_origin(*place), "called from here" if at else "from here")
            for at, place in enumerate(report.origins.get(finding, ()))
        ),
        *((_location(report, each.span), each.message) for each in finding.related),
    ]
    if related:
        result["relatedLocations"] = [
            {"id": at, **place, "message": {"text": message}} for at, (place, message) in enumerate(related)
        ]
    # A viewer may apply a SARIF fix without confirmation, so include only fixes that preserve the meaning.
    fixes = [_fix(report, fix) for fix in finding.fixes if fix.safety is Safety.SAFE]
    if fixes:
        result["fixes"] = fixes
    return result


def _fix(report: FileReport, fix: Fix) -> Json:
    replacements = [
        {"deletedRegion": _region(report, edit.span), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    change: Json = {"artifactLocation": _artifact(report.file), "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _location(report: FileReport, span: Span) -> Json:
    return {
        "physicalLocation": {"artifactLocation": _artifact(report.file), "region": _region(report, span)},
    }


def _origin(file: str, line: int, column: int) -> Json:
    """Return the source location of an op's `loc(...)`; the whole file if the location has no line."""
    place: Json = {"artifactLocation": _artifact(file)}
    if line:
        place["region"] = {"startLine": line, **({"startColumn": column} if column else {})}
    return {"physicalLocation": place}


def _artifact(file: str) -> Json:
    path = from_here(file)
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": ROOT}


def _region(report: FileReport, span: Span) -> Json:
    (line, column), (last, end) = report.start(span), report.end(span)
    return {"startLine": line, "startColumn": column, "endLine": last, "endColumn": end}
