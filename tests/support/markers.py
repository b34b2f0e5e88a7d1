"""MLIR's own test markers in fixtures: `// expected-error @+1 {{...}}` and others, per `// -----` chunk.

The severities are `error`, `warning`, `remark` (information) and `note` (hint); `@+N`, `@-N`, `@above`,
`@below` give the line relative to the marker. `{{GA101: text}}` also names the code. The text must be part of
the message; `...` in it matches any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gpuasync_lsp.text import LineIndex, Severity, Span

_MARKER = re.compile(
    r"expected-(?P<kind>error|warning|remark|note)(?:\s*@(?P<place>[+-]\d+|above|below))?\s*\{\{(?P<text>.*?)\}\}"
)
_SEVERITY = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "remark": Severity.INFORMATION,
    "note": Severity.HINT,
}


class Expected(NamedTuple):
    """A marker: a severity, a 0-based line, and the expected text of the message."""

    severity: Severity
    line: int
    text: str


class Found(NamedTuple):
    """A finding to compare with markers: its severity, position, code and message."""

    severity: Severity
    span: Span
    code: str
    message: str


def expected(text: str) -> list[Expected]:
    """Return the markers of `text`."""
    found: list[Expected] = []
    for number, line in enumerate(text.split("\n")):
        for match in _MARKER.finditer(line):
            place = {"above": "-1", "below": "+1", None: "+0"}.get(match["place"], match["place"])
            found.append(Expected(_SEVERITY[match["kind"]], number + int(place), match["text"]))
    return found


def disagreements(text: str, findings: Iterable[Found]) -> list[str]:
    """Return readable lines about markers without a finding, and findings without a marker."""
    lines = LineIndex(text)
    open_markers = expected(text)
    problems: list[str] = []
    for finding in findings:
        line = lines.position(finding.span.start)[0]
        said = f"{finding.code}: {finding.message}"
        for marker in open_markers:
            if marker.line == line and marker.severity == finding.severity and _matches(marker.text, said):
                open_markers.remove(marker)
                break
        else:
            problems.append(f"line {line + 1}: unexpected {finding.severity.name.lower()}: {said}")
    problems += [
        f"line {m.line + 1}: expected {m.severity.name.lower()} not found: {m.text}" for m in open_markers
    ]
    return problems


def _matches(pattern: str, said: str) -> bool:
    parts = (re.escape(part) for part in pattern.split("..."))
    return re.search(".*".join(parts), said, re.DOTALL) is not None
