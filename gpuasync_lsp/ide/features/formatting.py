"""Formatting: indentation and spaces as mlir-opt prints them. Comments, names, order and line breaks stay.

Only the spaces between words are touched, so what the text means cannot change: a test parses every file of
the corpus before and after. What a dialect that nobody knows has between `<` and `>` is text that MLIR keeps
as it is written, so nothing is touched there; nor is anything of an op that cannot be read, whose brackets
say nothing of what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from gpuasync_lsp.ide.lookup.tokens import Token, TokenKind, tokens
from gpuasync_lsp.syntax import SourceFile, parse_source
from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.text import Edit, LineIndex, Span, apply_edits

INDENT = 2
_CONTINUED = 4
"""Indentation of the further lines of an op, relative to its first."""

_SYNTAX_ERROR = "GA001"

_STARTS_OP = re.compile(
    r"""(?:%[\w$.\-]+(?::\d+)?(?:\s*,\s*%[\w$.\-]+(?::\d+)?)*\s*=(?!=)|"[\w.]+"\s*(?:\(|<)|[a-z_]\w*\.[\w.]+|\^|\}|//|[\#!][\w.]+\s*=
    |(?:module|func|return|call|yield|br|cond_br|scf|llvm)\b|\{-\#)""",
    re.VERBOSE,
)


def starts_op(line: str) -> bool:
    """Tell whether a line begins an op, a block, an alias or a remark, rather than going on with one."""
    return _STARTS_OP.match(line.lstrip()) is not None


class Broken(NamedTuple):
    """Lines that cannot be read, and how many modules they are in."""

    first: int
    last: int
    modules: int


def broken_regions(source: SourceFile, lines: LineIndex) -> Iterator[Broken]:
    """Yield the items with a syntax error, in order; their lines are left as they are."""
    for chunk in source.chunks:
        broken = {
            placed.offset: placed.span
            for placed in chunk.items
            if any(problem.code == _SYNTAX_ERROR for problem in placed.item.problems)
        }
        modules = 0
        for part in chunk.parts:
            if part.kind is PartKind.MODULE:
                modules += 1
            elif part.kind is PartKind.CLOSE:
                modules = max(modules - 1, 0)
            elif span := broken.get(part.span.start):
                first, last = (lines.position(offset)[0] for offset in (span.start, span.end))
                yield Broken(first, last, modules)


def format_edits(
    lines: LineIndex, first: int = 0, last: int | None = None, broken: Iterable[Broken] = ()
) -> Iterator[Edit]:
    """Yield edits that format the lines `first` to `last` (included; default: all), one per changed line.

    Lines of `broken`, which is in order, stay, and what follows is indented as if they were whole.
    """
    last = lines.line_count - 1 if last is None else min(last, lines.line_count - 1)
    state = _START
    regions = iter(broken)
    region = next(regions, None)
    for number in range(last + 1):
        while region is not None and number > region.last:
            state, region = _State(region.modules, 0, False), next(regions, None)
        if region is not None and number >= region.first:
            continue
        text = lines.line_text(number)
        formatted, state = _line(text, state)
        if number >= first and formatted != text:
            start = lines.starts[number]
            # The smallest edit keeps cursors and marks where they are.
            begin = _common(text, formatted)
            end = _common(text[begin:][::-1], formatted[begin:][::-1])
            span = Span(start + begin, start + len(text) - end)
            yield Edit(span, formatted[begin : len(formatted) - end])


def formatted(text: str) -> str:
    """Return a whole file as it is to be; only white space differs."""
    lines = LineIndex(text)
    return apply_edits(text, list(format_edits(lines, broken=broken_regions(parse_source(text), lines))))


def indentation(lines: LineIndex, number: int, item_line: int = 0, modules: int = 0) -> int:
    """Return how many spaces the line `number` is to begin with, by what is above it.

    Reading may begin at `item_line`, the first line of the item there, which is inside `modules` modules.
    """
    state = _State(modules, 0, False)
    for above in range(item_line, number):
        state = _line(lines.line_text(above), state)[1]
    return state.indent_of(lines.line_text(number).lstrip())


class _State(NamedTuple):
    """What the lines above leave open."""

    depth: int
    """Open braces."""
    inner: int
    """Open parentheses and brackets."""
    metadata: bool
    """Inside `{-# ... #-}`, which is left alone."""
    angles: int = 0
    """Open `<` of an attribute or a type of a dialect."""

    def indent_of(self, content: str) -> int:
        """Return the indentation of a line with this content."""
        depth = self.depth
        if content.startswith("}"):
            depth -= len(content) - len(content.lstrip("}"))
        elif content.startswith("^"):
            depth -= 1
        further = self.inner > 0 or (content != "" and not starts_op(content))
        is_close = content[:1] in (")", "]")
        return max(depth, 0) * INDENT + (_CONTINUED if further and not is_close else 0)


_START = _State(0, 0, False)


@lru_cache(maxsize=1 << 13)
def _line(text: str, state: _State) -> tuple[str, _State]:
    """Return a line as it is to be, and what is open behind it; most lines stay, and are known."""
    content = text.strip()
    if not content:
        return "", state
    if state.metadata or content.startswith("{-#"):
        return text.rstrip(), state._replace(metadata="#-}" not in content)
    if re.match(r"//[ \t]*-----", content):
        # Where it begins decides whether it separates chunks.
        return text.rstrip(), state
    indent = state.indent_of(content)
    was_inside = state.angles > 0
    spaced, brackets, angles = _spaced(content, state)
    depth, inner, *_ = state
    for bracket in brackets:
        if bracket == "{":
            depth += 1
        elif bracket == "}":
            depth = max(depth - 1, 0)
        elif bracket in "([":
            inner += 1
        else:
            inner = max(inner - 1, 0)
    state = _State(depth, inner, False, angles)
    # A line that begins inside has its spaces in the text that is kept.
    return (text if was_inside else " " * indent + spaced), state


def _spaced(content: str, state: _State) -> tuple[str, str, int]:
    """Return a line with canonical spaces between its words, its brackets, and how many angles stay open."""
    words = list(tokens(content))
    parts: list[str] = []
    brackets = ""
    angles, inner = state.angles, state.inner
    for number, word in enumerate(words):
        text = content[word.start : word.end]
        if number:
            before = words[number - 1]
            gap = content[before.end : word.start]
            kept = angles > 0 or (text == "<" and before.kind in _OF_DIALECTS)
            parts.append(gap if kept else _gap(content, before, word, gap, inner > 0))
            if text == "<" and (angles > 0 or (not gap and content[before.start] in "#!")):
                angles += 1
        if text == ">":
            angles = max(angles - 1, 0)
        parts.append(text)
        if word.kind is TokenKind.MARK and text in "{}()[]":
            brackets += text
            inner += (text in "([") - (text in ")]")
    return "".join(parts), brackets, angles


_OF_DIALECTS = (TokenKind.ATTRIBUTE, TokenKind.TYPE)
_TYPE = re.compile(
    r"!|(?:memref|vector|tensor|complex|tuple|index|none|bf16|tf32|f\d\w*|[su]?i\d+)(?![\w$.])"
)
"""What begins a type, right behind a colon."""
_BEFORE_TYPES = (TokenKind.NUMBER, TokenKind.STRING)


def _gap(content: str, left: Token, right: Token, gap: str, inside: bool) -> str:
    a, b = content[left.start : left.end], content[right.start : right.end]
    if right.kind is TokenKind.COMMENT:
        # People line up their remarks.
        return gap or " "
    if left.kind is TokenKind.COMMENT or (left.kind is TokenKind.STRING and right.kind is TokenKind.STRING):
        return gap
    if b == ",":
        return ""
    if a == "," or "->" in (a, b):
        return " "
    if a == "=" or b == "=":
        # `==`, `>=` and `<=` of affine sets are two marks without a gap.
        return gap if not gap and {a, b} & set("=<>!") == {a, b} else " "
    if a in ("(", "[") or b in (")", "]"):
        return ""
    if a == ":" and (gap or right.kind is TokenKind.TYPE):
        return " "
    if b == ":" and not gap and _TYPE.match(content, right.end):
        # `%n: index` of an argument, `%n : index` behind an op; `%n:2` are two results.
        of_argument = inside and left.kind is TokenKind.VALUE
        return " " if not of_argument and (left.kind in _BEFORE_TYPES or left.kind is TokenKind.VALUE) else ""
    return " " if gap else ""


def _common(a: str, b: str) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
