"""The results of a program run as findings at lines of the source, and the time of each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuasync_lsp.exec.report import Operation, Place, RunReport
from gpuasync_lsp.ide.features.inlay_hints import Hint
from gpuasync_lsp.text import Finding, LineIndex, Related, Severity, Span

_SEVERITIES = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "information": Severity.INFORMATION,
}
_MOST_LISTED = 8
"""The maximum number of operations of one line in a tooltip."""


def run_findings(report: RunReport, lines: LineIndex) -> list[Finding]:
    """Return the findings of `report` that have a line, and one for the location where the run ended early.

    A finding's code is its name, as `gpuasync-lsp run` prints it. Findings without a line appear only in the
    report.
    """
    found = [
        Finding(
            each.name,
            each.name,
            _SEVERITIES[each.level],
            _line(each.place, lines),
            each.message,
            tuple(Related(_line(r.place, lines), r.message) for r in each.related if r.place.line),
        )
        for each in report.findings
        if each.place.line
    ]
    if report.place.line and report.message:
        span = _line(report.place, lines)
        found.append(Finding(report.outcome, report.outcome, Severity.ERROR, span, report.message))
    return found


def run_timings(report: RunReport, lines: LineIndex) -> list[Hint]:
    """Return the time of each line with timed operations, as a hint after it, in text order."""
    by_line: dict[int, list[Operation]] = {}
    for operation in report.operations:
        if operation.place.line:
            by_line.setdefault(operation.place.line, []).append(operation)
    return [
        Hint(lines.line_end(line - 1), f"  {_time(operations)}", "\n".join(_details(operations)), False)
        for line, operations in sorted(by_line.items())
    ]


def _line(place: Place, lines: LineIndex) -> Span:
    """Return the span of the line at `place`, without its indentation.

    An op may continue on further lines; underlining all of them would distract."""
    text = lines.text[lines.starts[place.line - 1] : lines.line_end(place.line - 1)]
    start = lines.starts[place.line - 1] + len(text) - len(text.lstrip())
    return Span(start, lines.line_end(place.line - 1))


def _time(operations: Sequence[Operation]) -> str:
    mean = sum(operation.duration for operation in operations) / len(operations)
    words = _duration(mean) if len(operations) == 1 else f"{len(operations)} x {_duration(mean)}"
    copied = [operation for operation in operations if operation.bandwidth]
    if copied:
        words += f", {sum(operation.bandwidth for operation in copied) / len(copied):.3g} GB/s"
    return words


def _details(operations: Sequence[Operation]) -> Iterator[str]:
    for operation in operations[:_MOST_LISTED]:
        yield (
            f"{operation.label} on {operation.lane}: {_duration(operation.duration)}, "
            f"from {_duration(operation.start)}"
        )
    if len(operations) > _MOST_LISTED:
        yield f"and {len(operations) - _MOST_LISTED} more"


def _duration(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} µs"
