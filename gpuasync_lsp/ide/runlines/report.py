"""The results of running tests, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gpuasync_lsp.ide.runlines.messages import MOST_OF_LINE
from gpuasync_lsp.ide.runlines.results import BUILT_IN, Failure, FileResult, Kind, RunResult, Verdict
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.plain_json import Json

AROUND = 12
"""The number of output lines shown before and after a failure."""


def text_lines(result: FileResult, lines: LineIndex, whole: bool = False) -> Iterator[str]:
    """Yield the lines of a test's report for a terminal; `whole` shows outputs in full."""
    by = f" ({result.engine})" if result.engine else ""
    yield f"{result.verdict.name}: {result.name}{by}"
    if result.reason:
        yield f"  {result.name}:{result.line}: {result.reason}"
    if result.verdict is Verdict.XFAIL:
        return
    for run in result.runs:
        if run.verdict is Verdict.UNSUPPORTED:
            yield f"  {result.name}:{run.run.line}: unsupported: {run.unsupported}"
        for failure in run.failures:
            yield from _failure(failure, run, result.name, lines)
        if run.failures:
            yield from _output(run, result.name, whole)
    if result.engine == BUILT_IN and result.verdict.is_bad:
        yield "  by the built-in passes; your mlir-opt may print something else: name it with --mlir-opt"
    if result.notes and result.verdict.is_bad:
        yield f"  not checked: {', '.join(result.notes)}"


def _failure(failure: Failure, run: RunResult, name: str, lines: LineIndex) -> Iterator[str]:
    yield f"{name}:{failure.line}:{failure.column}: error: {failure.message}"
    if failure.kind is not Kind.STATUS:
        yield f"  {lines.line_text(failure.line - 1).strip()[:MOST_OF_LINE]}"
    if failure.closest_line is not None:
        output = run.output.split("\n")
        yield f"  closest, line {failure.closest_line} of the output:"
        yield f"  {output[failure.closest_line - 1].strip()[:MOST_OF_LINE]}"


def _output(run: RunResult, name: str, whole: bool) -> Iterator[str]:
    checks = [failure for failure in run.failures if failure.output_line is not None]
    shown = run.output if checks else run.messages or run.output
    output = shown.split("\n")
    while output and not output[-1]:
        output.pop()
    wanted = {failure.output_line or 1 for failure in checks} or {1}
    near = {at for line in wanted for at in range(line - AROUND, line + AROUND + 1)}
    near = {at for at in near if 1 <= at <= len(output)} if not whole else set(range(1, len(output) + 1))
    yield f"  {'output' if checks or not run.messages else 'messages'} of {name}:{run.run.line}:"
    if not output:
        yield "    (nothing)"
    before = 0
    for at in sorted(near):
        if at != before + 1:
            yield f"    ... {at - before - 1} lines"
        mark = ">" if at in wanted and checks else " "
        yield f"  {mark} {at:4} | {output[at - 1][:MOST_OF_LINE]}"
        before = at
    if before < len(output):
        yield f"    ... {len(output) - before} lines (--whole-output shows all)"


def summary(results: Sequence[FileResult]) -> str:
    """Format the number of tests per verdict."""
    counts = Counter(result.verdict for result in results)
    words = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    return f"{len(results)} {'test' if len(results) == 1 else 'tests'}: {', '.join(words) or 'none'}."


def json_row(result: FileResult) -> Json:
    """Return the result of a test as plain data."""
    return {
        "file": result.name,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "line": result.line,
        "engine": result.engine,
        "notes": list(result.notes),
        "runs": [
            {
                "line": run.run.line,
                "command": run.run.command,
                "verdict": run.verdict.value,
                "unsupported": run.unsupported,
                "failures": [_json_failure(failure, run) for failure in run.failures],
                "output": run.output,
                "messages": run.messages,
            }
            for run in result.runs
        ],
    }


def _json_failure(failure: Failure, run: RunResult) -> Json:
    closest = None
    if failure.closest_line is not None:
        text = run.output.split("\n")[failure.closest_line - 1]
        closest = {"line": failure.closest_line, "text": text}
    return {
        "kind": failure.kind.value,
        "line": failure.line,
        "column": failure.column,
        "message": failure.message,
        "outputLine": failure.output_line,
        "closest": closest,
    }
