"""Findings for people: the source line with carets, related places, and the titles of the fixes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.reporting.terminal import Paint, Style, printable, width
from gpuasync_lsp.text import Finding, Safety, Severity, Span

_STYLES: dict[Severity, Style] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "hint",
}
_HOW: dict[Safety, str] = {
    Safety.SAFE: "--fix",
    Safety.UNSAFE: "--unsafe-fixes",
    Safety.DISPLAY: "for you to decide",
}
_LONG = 160
"""Lines longer than this are shown in part, from `_BEFORE` code points before the finding."""
_BEFORE = 60


def text_report(reports: Sequence[FileReport], paint: Paint) -> str:
    """Return every finding of `reports` as text, and a closing line that counts them."""
    return "".join(text_of(report, paint) for report in reports) + summary(reports) + "\n"


def text_of(report: FileReport, paint: Paint) -> str:
    """Return the findings of one file as text, with an empty line after each."""
    return "".join("\n".join(_finding(report, f, paint)) + "\n\n" for f in report.findings)


def summary(reports: Sequence[FileReport]) -> str:
    """Return one sentence: how many findings of each severity, in how many files, how many fixable."""
    findings = [f for report in reports for f in report.findings]
    files = _count(len(reports), "file")
    versions = " and ".join(str(v) for v in sorted({r.llvm for r in reports}))
    if not findings:
        return f"Nothing found in {files} (LLVM {versions})." if reports else "Nothing to check."
    kinds = ", ".join(
        _count(sum(f.severity is s for f in findings), s.name.lower())
        for s in Severity
        if any(f.severity is s for f in findings)
    )
    best = [min((_ORDER.index(x.safety) for x in f.fixes), default=len(_ORDER)) for f in findings]
    safe, unsafe = best.count(0), best.count(1)
    offers = [f"{safe} fixable with --fix"] * bool(safe) + [f"{unsafe} with --unsafe-fixes"] * bool(unsafe)
    return f"Found {kinds} in {files} (LLVM {versions})" + "".join(f"; {o}" for o in offers) + "."


_ORDER = (Safety.SAFE, Safety.UNSAFE, Safety.DISPLAY)


class _Mark(NamedTuple):
    line: int
    start: int
    end: int
    label: str
    primary: bool


def _finding(report: FileReport, finding: Finding, paint: Paint) -> Iterator[str]:
    style = _STYLES[finding.severity]
    first, *rest = finding.message.splitlines() or [""]
    level = paint(f"{finding.severity.name.lower()}[{finding.code}]", style)
    yield f"{level} {paint(finding.name, 'bold')}: {printable(first)}"
    marks = [
        _mark(report, finding.span, "", True),
        *(_mark(report, related.span, printable(related.message), False) for related in finding.related),
    ]
    margin = len(str(max(mark.line for mark in marks) + 1))
    line, column = report.start(finding.span)
    yield f"{' ' * margin} {paint('-->', 'dim')} {printable(report.file)}:{line}:{column}"
    yield from _snippet(report, marks, margin, style, paint)
    equals = f"{' ' * margin} {paint('=', 'dim')}"
    for more in rest:
        yield f"{equals} {printable(more)}"
    for fix in finding.fixes:
        how = f"{_HOW[fix.safety]}: {fix.reason}" if fix.reason else _HOW[fix.safety]
        yield f"{equals} {paint('fix', 'bold')}: {printable(f'{fix.title} ({how})')}"


def _mark(report: FileReport, span: Span, label: str, primary: bool) -> _Mark:
    line, start = report.index.position(span.start)
    last, end = report.index.position(span.end)
    if last > line:
        end = len(report.index.line_text(line))
    return _Mark(line, start, max(end, start + 1), label, primary)


def _snippet(
    report: FileReport, marks: Sequence[_Mark], margin: int, style: Style, paint: Paint
) -> Iterator[str]:
    bar = paint("|", "dim")
    empty = f"{' ' * margin} {bar}"
    yield empty
    before: tuple[int, int] | None = None
    for mark in sorted(marks, key=lambda m: (m.line, m.start)):
        source = report.index.line_text(mark.line)
        crop = max(0, mark.start - _BEFORE) if len(source) > _LONG else 0
        if (mark.line, crop) != before:
            if before is not None and mark.line > before[0] + 1:
                yield paint("...", "dim")
            shown = printable(source[crop : crop + _LONG])
            number = paint(f"{mark.line + 1:>{margin}}", "dim")
            ends = "..." if crop + _LONG < len(source) else ""
            yield f"{number} {bar} {'...' if crop else ''}{shown}{ends}".rstrip()
            before = (mark.line, crop)
        indent = width(printable(source[crop : mark.start])) + (3 if crop else 0)
        length = max(1, width(printable(source[mark.start : min(mark.end, crop + _LONG)])))
        carets = paint("^" * length, style) if mark.primary else paint("-" * length, "information")
        yield f"{empty} {' ' * indent}{carets} {mark.label}".rstrip()


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 or what == "information" else f"{number} {what}s"
