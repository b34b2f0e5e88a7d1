"""The results of running a test, as findings at its lines."""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.ide.runlines.closest import MOST_OF_LINE
from gpuasync_lsp.ide.runlines.results import CHECK_FAILED, FileResult, Kind, Verdict
from gpuasync_lsp.text import Finding, LineIndex, Severity, Span

_NAMES = {
    Kind.CHECK: CHECK_FAILED,
    Kind.EXPECTED: "expected-diagnostic",
    Kind.UNEXPECTED: "unexpected-diagnostic",
    Kind.ERROR: "mlir-opt-error",
    Kind.STATUS: "run-line",
}


def findings_of_test(result: FileResult, lines: LineIndex) -> Iterator[Finding]:
    """Yield a finding for each failure, and for RUN lines that were not run; none if the test is expected
    to fail."""
    if result.verdict is Verdict.XFAIL:
        return
    if result.reason:
        yield _finding("not-run", Severity.INFORMATION, result.line, f"Not run: {result.reason}", lines)
    for run in result.runs:
        if run.unsupported:
            message = f"Not run: {run.unsupported}"
            yield _finding("not-run", Severity.INFORMATION, run.run.line, message, lines)
        output = run.output.split("\n")
        for each in run.failures:
            message = each.message
            if each.closest_line is not None:
                closest = output[each.closest_line - 1].strip()[:MOST_OF_LINE]
                message += f"\nClosest line of the output ({each.closest_line}): {closest}"
            yield _finding(_NAMES[each.kind], Severity.ERROR, each.line, message, lines)


def _finding(name: str, severity: Severity, line: int, message: str, lines: LineIndex) -> Finding:
    start = lines.starts[min(max(line, 1), lines.line_count) - 1]
    end = lines.line_end(lines.position(start)[0])
    text = lines.text[start:end]
    return Finding(name, name, severity, Span(start + len(text) - len(text.lstrip()), end), message)
