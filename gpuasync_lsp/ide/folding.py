"""What can be folded: regions, runs of comments, `// -----` chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gpuasync_lsp.ide.tokens import TokenKind, tokens
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import LineIndex, Span


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
    for token in tokens(text):
        if token.kind is not TokenKind.MARK:
            continue
        mark = text[token.start]
        if mark == "{":
            open_.append(token.end)
        elif mark == "}" and open_:
            yield Fold(Span(open_.pop(), token.start), "region", closes=True)


def _comments(lines: LineIndex) -> Iterator[Fold]:
    first: int | None = None
    for line in range(lines.line_count + 1):
        text = lines.line_text(line).lstrip() if line < lines.line_count else ""
        # A line of dashes separates chunks; it is no remark.
        if text.startswith("//") and not text.startswith("// -----"):
            first = line if first is None else first
        elif first is not None:
            yield Fold(Span(lines.line_end(first), lines.line_end(line - 1)), "comment")
            first = None
