"""Findings for people: the source line with carets, related locations, and the titles of the fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from gpuasync_lsp.reporting.report import FileReport
from gpuasync_lsp.reporting.terminal import Paint, Style, printable, width
from gpuasync_lsp.text import Finding, Safety, Severity, Span
from gpuasync_lsp.text.defects import contained

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
"""The line length above which only a part is shown, starting `_BEFORE` code points before the finding."""
_BEFORE = 60


def text_report(reports: Sequence[FileReport], paint: Paint) -> str:
    """Return the findings of `reports` as text, followed by a summary line."""
    tally = Tally()
    for report in reports:
        tally.add(Tally.of(report))
    return "".join(text_of(report, paint) for report in reports) + tally.sentence() + "\n"


def text_of(report: FileReport, paint: Paint) -> str:
    """Return the findings of one file as text, each followed by an empty line."""

    def one(finding: Finding) -> str:
        return "\n".join(_finding(report, finding, paint)) + "\n\n"

    def failed(message: str, error: Exception) -> str:
        return f"{printable(report.file)}: {printable(message)}\n\n"

    return "".join(contained("reporting a finding", partial(one, each), failed) for each in report.findings)


@dataclass(slots=True)
class Tally:
    """The counts of the summary line."""

    files: int = 0
    releases: set[int] = field(default_factory=set[int])
    """The LLVM releases for which files were checked."""
    severities: Counter[Severity] = field(default_factory=Counter[Severity])
    fixable: Counter[Safety] = field(default_factory=Counter[Safety])
    """Maps the safety of a finding's safest fix to the number of such findings."""
    rules: Counter[tuple[str, str, Severity]] = field(default_factory=Counter[tuple[str, str, Severity]])
    """Maps the code, name and severity of a rule to the number of its findings."""

    @staticmethod
    def of(report: FileReport) -> Tally:
        """Count the findings of one file."""
        best = (min((_ORDER.index(x.safety) for x in f.fixes), default=None) for f in report.findings)
        fixable = Counter(_ORDER[each] for each in best if each is not None)
        rules = Counter((f.code, f.name, f.severity) for f in report.findings)
        return Tally(1, {report.llvm}, Counter(f.severity for f in report.findings), fixable, rules)

    def add(self, other: Tally) -> None:
        """Add the counts of `other`."""
        self.files += other.files
        self.releases |= other.releases
        self.severities += other.severities
        self.fixable += other.fixable
        self.rules += other.rules

    def sentence(self) -> str:
        """Return the summary: findings by severity, the number of files, and how many are fixable."""
        files = _count(self.files, "file")
        versions = " and ".join(map(str, sorted(self.releases)))
        if not self.severities:
            return f"Nothing found in {files} (LLVM {versions})." if self.files else "Nothing to check."
        kinds = ", ".join(
            _count(self.severities[s], s.name.lower()) for s in Severity if s in self.severities
        )
        safe, unsafe = self.fixable[Safety.SAFE], self.fixable[Safety.UNSAFE]
        offers = [f"{safe} fixable with --fix"] * bool(safe) + [f"{unsafe} with --unsafe-fixes"] * bool(
            unsafe
        )
        return f"Found {kinds} in {files} (LLVM {versions})" + "".join(f"; {o}" for o in offers) + "."


def statistics(tally: Tally) -> str:
    """Return one line per rule with findings, the most frequent first."""
    width = len(str(max(tally.rules.values(), default=0)))
    lines = [
        f"{count:>{width}}  {code}  {severity.name.lower():<11}  {name}\n"
        for (code, name, severity), count in sorted(tally.rules.items(), key=lambda e: (-e[1], e[0]))
    ]
    return "".join(lines)


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
    arrow = "-->"
    # Most reports have no origins, and hashing a finding is slow.
    if report.origins and (origin := report.origins.get(finding)):
        calls = ", called from ".join(f"{file}:{at}:{column}" for file, at, column in origin)
        yield f"{' ' * margin} {paint(arrow, 'dim')} {printable(calls)}"
        arrow = ":::"
    yield f"{' ' * margin} {paint(arrow, 'dim')} {printable(report.file)}:{line}:{column}"
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
