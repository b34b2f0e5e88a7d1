"""The effects of passes, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from gpuasync_lsp.ide.dumps.passes import PassRun
from gpuasync_lsp.reporting.json_object import finding_object
from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.reporting.terminal import Paint, Style, plain, printable
from gpuasync_lsp.text import Finding, Severity, Span

_MOST_KINDS = 6
"""The maximum number of kinds of ops that a line of text names."""
_MOST_FINDINGS = 10
"""The maximum number of findings reported for a pass; the input may have any number."""
_TORN = "truncated: the dump ends in the middle of this section, so it is not compared"
_STYLES: dict[Severity, Style] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "hint",
}


def json_rows(
    runs: Iterable[PassRun], report: FileReport, first: PassRun | None = None
) -> list[dict[str, object]]:
    """Return one JSON object for each of `runs`, whose spans refer to the text of `report`.

    `first` is the first pass after which the requested finding exists; its object is marked.

    `line` is the line of the header, or the first line of a section without one; `begin` and `end` are
    findings as `check` prints them, those of `end` at their locations before the pass.
    """
    return [
        {
            "pass": run.pass_name,
            "name": run.class_name,
            "options": run.options,
            "scope": run.scope,
            "changed": run.changed,
            "failed": run.failed,
            "line": _line(run, report),
            "added": dict(run.added),
            "removed": dict(run.removed),
            "begin": [finding_object(report, finding) for finding in run.begin],
            "end": [finding_object(report, finding) for finding in run.end],
            "lines": _added_and_removed(run.lines),
            "streams": _added_and_removed(run.handles.get("streams")),
            "events": _added_and_removed(run.handles.get("events")),
            "seconds": run.seconds,
            "torn": run.section.torn,
            **({"first": True} if run is first else {}),
            **({"error": run.error, "reproducer": run.reproducer} if run.error else {}),
        }
        for run in runs
    ]


def _added_and_removed(counts: tuple[int, int] | None) -> dict[str, int] | None:
    return None if counts is None else {"added": counts[0], "removed": counts[1]}


def first_after(runs: Sequence[PassRun], code: str) -> PassRun | None:
    """Return the first of `runs` after which there is a finding of the rule `code`."""
    return next((run for run in runs if any(finding.code == code for finding in run.begin)), None)


def first_in_words(run: PassRun | None, code: str, report: FileReport) -> str:
    """Describe the result of `first_after` in one sentence."""
    if run is None:
        return f"{code} does not occur after any of the passes (LLVM {report.llvm})."
    where = f"line {_line(run, report)}"
    if not run.class_name:
        return f"{code} exists from the start: {printable(run.pass_name)}, {where} (LLVM {report.llvm})."
    scope = f" on {printable(run.scope)}" if run.scope else ""
    return f"{code} first occurs after {printable(run.pass_name)}{scope}, {where} (LLVM {report.llvm})."


def text_lines(
    runs: Sequence[PassRun], report: FileReport, paint: Paint, code: str | None = None
) -> Iterator[str]:
    """Yield a line for each of `runs`, and a line for each of up to ten findings that it adds or removes.

    With `code`, only findings of that rule are reported.
    """
    margin = max((len(str(_line(run, report))) for run in runs), default=0)
    names = max((len(run.pass_name) for run in runs), default=0)
    scopes = max((len(run.scope) for run in runs), default=0)
    for run in runs:
        number = paint(f"{_line(run, report):>{margin}}", "dim")
        name = paint(f"{printable(run.pass_name):<{names}}", "bold" if run.changed is not False else "dim")
        yield f"{number}  {name}  {printable(run.scope):<{scopes}}  {_what(run, paint)}".rstrip()
        if run.section.torn:
            yield f"{' ' * margin}    {paint(_TORN, 'dim')}"
        began = "begins" if run.before is not None else "already there:"
        for word, findings in ((began, run.begin), ("ends", run.end)):
            listed = [finding for finding in findings if code in (None, finding.code)]
            for finding in listed[:_MOST_FINDINGS]:
                yield f"{' ' * margin}    {_finding(word, finding, report, paint)}"
            if len(listed) > _MOST_FINDINGS:
                yield f"{' ' * margin}    {word} {len(listed) - _MOST_FINDINGS} more"


def what_it_did(run: PassRun) -> str:
    """Summarize the effect of a pass."""
    return _what(run, plain)


def summary(runs: Sequence[PassRun], report: FileReport) -> str:
    """Return one sentence with the numbers of passes, of passes with changes, and of findings that the
    first dump has, and that begin or end later."""
    named = [run for run in runs if run.class_name]
    did = sum(run.changed is True for run in named)
    first = sum(len(run.begin) for run in runs if run.before is None)
    begin, end = sum(len(run.begin) for run in runs) - first, sum(len(run.end) for run in runs)
    passes = f"{len(named)} {'pass' if len(named) == 1 else 'passes'}, {did} with changes"
    there = [f"{first} {'finding' if first == 1 else 'findings'} in the first dump"] if first else []
    new = f"{begin} {'finding begins' if begin == 1 else 'findings begin'}"
    findings = ", ".join([*there, new, f"{end} end{'s' * (end == 1)}"])
    return f"{passes}; {findings} (LLVM {report.llvm})."


def _what(run: PassRun, paint: Paint) -> str:
    if run.failed:
        return paint("failed", "error") + (f": {printable(run.error)}" if run.error else "")
    took = [] if run.seconds is None else [paint(_time(run.seconds), "dim")]
    if run.changed is None:
        return "".join(took)
    if not run.changed:
        return ", ".join([paint("no change", "dim"), *took])
    kinds = [
        *(paint(f"+{count} {name}", "added") for name, count in run.added.items()),
        *(paint(f"-{count} {name}", "removed") for name, count in run.removed.items()),
    ]
    more = [f"and {len(kinds) - _MOST_KINDS} more kinds"] if len(kinds) > _MOST_KINDS else []
    return ", ".join([*_handles(run, paint), *kinds[:_MOST_KINDS], *more] or ["changed"]) + _size(run, took)


def _handles(run: PassRun, paint: Paint) -> Iterator[str]:
    """Yield the numbers of added and removed streams and events."""
    for kind, counts in run.handles.items():
        for sign, count, style in zip("+-", counts, ("added", "removed"), strict=True):
            if count:
                yield paint(f"{sign}{count} {kind if count > 1 else kind[:-1]}", cast(Style, style))


def _size(run: PassRun, took: Sequence[str]) -> str:
    lines = [] if run.lines is None else [f"lines +{run.lines[0]} -{run.lines[1]}"]
    text = ", ".join([*lines, *took])
    return f"  ({text})" if text else ""


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def _finding(word: str, finding: Finding, report: FileReport, paint: Paint) -> str:
    line, column = report.start(finding.span)
    first = finding.message.partition("\n")[0]
    code = paint(f"{finding.code} {finding.name}", _STYLES[finding.severity] if word != "ends" else "dim")
    return f"{word} {code} at {printable(report.file)}:{line}:{column}: {printable(first)}"


def _line(run: PassRun, report: FileReport) -> int:
    start = run.section.header.start
    return report.start(Span(start, start))[0]
