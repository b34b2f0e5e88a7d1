"""What can be folded: regions, runs of comments, `// -----` chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import LineIndex, Span

_BRACE = re.compile(r'//[^\n\r]*|"(?:[^"\\\n\r]|\\.)*"?|[{}]')
"""Braces; comments and strings are matched to be passed over."""


_COMMENT_LINE = re.compile(r"(?:^|(?<=[\r\n]))[ \t]*//(?![ \t]*-----)")
"""The begin of a line that is a remark; a line of dashes separates chunks."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One foldable range, from the end of its first line."""

    span: Span
    kind: Literal["region", "comment"]
    closes: bool = False
    """Whether a bracket closes it, which is to stay in sight."""


def folds(source: SourceFile, lines: LineIndex) -> list[Fold]:
    """Return what can be folded, in text order; only what covers several lines."""
    found = [*_brackets(source.text, lines), *_comments(lines)]
    if len(source.chunks) > 1:
        found += [Fold(chunk.span, "region") for chunk in source.chunks]
    several = (f for f in found if lines.position(f.span.start)[0] < lines.position(f.span.end)[0])
    return sorted(several, key=lambda f: f.span)


def _brackets(text: str, lines: LineIndex) -> Iterator[Fold]:
    open_: list[int] = []
    for match in _BRACE.finditer(text):
        mark = match[0]
        if mark == "{":
            open_.append(match.end())
        elif mark == "}" and open_:
            yield Fold(Span(open_.pop(), match.start()), "region", closes=True)


def _comments(lines: LineIndex) -> Iterator[Fold]:
    first = last = -2
    for match in _COMMENT_LINE.finditer(lines.text):
        line = lines.position(match.start())[0]
        if line != last + 1:
            if last > first:
                yield Fold(Span(lines.line_end(first), lines.line_end(last)), "comment")
            first = line
        last = line
    if last > first:
        yield Fold(Span(lines.line_end(first), lines.line_end(last)), "comment")
