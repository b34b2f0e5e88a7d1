"""Folding ranges: regions, runs of comments, `// -----` chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import LineIndex, Span

_BRACE = re.compile(r'//|"(?:[^"\\\n\r]|\\.)*"?|[{}]')
"""Matches a brace, or a comment or string, in which braces are ignored."""


_REMARK = re.compile(r"[ \t]*//(?![ \t]*-----)")
"""Matches a line with a comment that does not separate chunks."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One foldable range, from the end of its first line."""

    span: Span
    kind: Literal["region", "comment"]
    closes: bool = False
    """Whether the range ends before a closing bracket, which remains visible."""


def folds(source: SourceFile, lines: LineIndex) -> list[Fold]:
    """Return the folding ranges that span several lines, in text order."""
    # Comments and strings end with their line, and most lines have no brace.
    texts = [source.text[start:end] for start, end in pairwise((*lines.starts, len(source.text)))]
    found = [*_brackets(texts, lines), *_comments(texts, lines)]
    if len(source.chunks) > 1:
        chunks = (chunk.span for chunk in source.chunks)
        found += [Fold(s, "region") for s in chunks if lines.position(s.start)[0] < lines.position(s.end)[0]]
    return sorted(found, key=lambda f: f.span)


def _brackets(texts: list[str], lines: LineIndex) -> Iterator[Fold]:
    open_: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        if "{" not in text and "}" not in text:
            continue
        start = lines.starts[number]
        for match in _BRACE.finditer(text):
            mark = match[0]
            if mark == "//":
                break
            if mark == "{":
                open_.append((number, start + match.end()))
            elif mark == "}" and open_:
                line, begin = open_.pop()
                if line < number:
                    yield Fold(Span(begin, start + match.start()), "region", closes=True)


def _comments(texts: list[str], lines: LineIndex) -> Iterator[Fold]:
    first = last = -2
    for number, text in enumerate(texts):
        if "//" not in text or not _REMARK.match(text):
            continue
        if number != last + 1:
            if last > first:
                yield Fold(Span(lines.line_end(first), lines.line_end(last)), "comment")
            first = number
        last = number
    if last > first:
        yield Fold(Span(lines.line_end(first), lines.line_end(last)), "comment")
