"""Findings as GitHub Actions workflow commands, which GitHub shows next to the lines of a pull request."""

from __future__ import annotations

from gpuasync_lsp.output import clean
from gpuasync_lsp.reporting.paths import from_here
from gpuasync_lsp.reporting.report import FileReport, Outcome
from gpuasync_lsp.text import Finding, Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def github_report(outcome: Outcome) -> str:
    """Return one `::error file=...::message` line per finding and per error."""
    lines, mistakes = outcome.written(lambda report, finding, _: _command(report, finding))
    for mistake in mistakes:
        place = f" file={_property(from_here(mistake.file))},line={mistake.line or 1}" * bool(mistake.file)
        lines.append(f"::error{place}::{_data(mistake.message)}")
    return "".join(f"{line}\n" for line in lines)


def _command(report: FileReport, finding: Finding) -> str:
    (line, column), (last, end) = report.start(finding.span), report.end(finding.span)
    properties = {"file": from_here(report.file), "line": line, "endLine": last, "col": column}
    # GitHub ignores annotations that have columns and span several lines.
    if last == line:
        properties["endColumn"] = end
    else:
        del properties["col"]
    properties["title"] = f"{finding.code} {finding.name}"
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(finding.message)}"


def _data(text: str) -> str:
    escaped = clean(text.replace("\r\n", "\n"))
    return escaped.replace("%", "%25").replace("\n", "%0A")


def _property(value: str | int) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")
