"""The edits that silence findings with `// gpuasync: ignore[CODE]` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuasync_lsp.text import Edit, Finding, LineIndex, Span

_IGNORE = re.compile(r"//\s*gpuasync:\s*ignore\[(?P<codes>[^\]\[/\n]*)\]")
_ONLY_COMMENT = re.compile(r"\s*(?://.*)?$")


def ignore_edits(lines: LineIndex, findings: Iterable[Finding], reason: str = "") -> list[Edit]:
    """Return edits that suppress each of `findings` on its line; an existing comment gets the new codes."""
    codes: dict[int, set[str]] = {}
    for finding in findings:
        codes.setdefault(lines.position(finding.span.start)[0], set()).add(finding.code)
    return [_edit(lines, line, sorted(of_line), reason) for line, of_line in sorted(codes.items())]


def _edit(lines: LineIndex, line: int, codes: list[str], reason: str) -> Edit:
    start, end = lines.starts[line], lines.line_end(line)
    written = f"// gpuasync: ignore[{', '.join(codes)}]{f' -- {reason}' if reason else ''}"
    if _ONLY_COMMENT.match(lines.text, start, end):
        # After a comment, or on an empty line, it would apply to the next line.
        indent = re.compile(r"[ \t]*").match(lines.text, start, end)
        blanks = indent[0] if indent else ""
        return Edit(Span(start, start), f"{blanks}{written}{_line_end(lines.text)}")
    comment = _IGNORE.search(lines.text, start, end)
    if comment is not None:
        listed = [word.strip() for word in comment["codes"].split(",") if word.strip()]
        new = [code for code in codes if code not in listed]
        return Edit(Span(*comment.span("codes")), ", ".join([*listed, *new]))
    return Edit(Span(end, end), f"  {written}")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
