"""Comments that silence a rule: `// gpuasync: ignore[GA501]` at a line, `ignore-file[GA501]` in a file."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpuasync_lsp.ide.settings import closeness
from gpuasync_lsp.text import Finding

_COMMENT = re.compile(r"//[ \t]*gpuasync:[ \t]*ignore(?P<file>-file)?\[(?P<words>[^\]\r\n]*)\]")
_LINE = re.compile(r"[^\r\n]*")


class Suppression(NamedTuple):
    """Rules that are silenced between two offsets of the text."""

    start: int
    end: int
    words: tuple[str, ...]

    def hides(self, finding: Finding, offset: int) -> bool:
        """Tell whether `finding`, whose places are relative to `offset`, is silenced."""
        return self.start <= finding.span.start + offset <= self.end and any(
            closeness(word, finding.code, finding.name) >= 0 for word in self.words
        )


def suppressions(text: str) -> list[Suppression]:
    """Return what the comments of `text` silence.

    A comment behind code silences its line; alone on a line, it silences the next one that is no comment.
    """
    found: list[Suppression] = []
    for match in _COMMENT.finditer(text) if "gpuasync:" in text else ():
        words = tuple(word.strip() for word in match["words"].split(",") if word.strip())
        if match["file"]:
            found.append(Suppression(0, len(text), words))
            continue
        start = max(text.rfind("\n", 0, match.start()), text.rfind("\r", 0, match.start())) + 1
        end = _line_end(text, start)
        while text[start:end].lstrip()[:2] in ("//", "") and end < len(text):
            start = end + (2 if text.startswith("\r\n", end) else 1)
            end = _line_end(text, start)
        found.append(Suppression(start, end, words))
    return found


def _line_end(text: str, start: int) -> int:
    line = _LINE.match(text, start)
    return line.end() if line else len(text)
