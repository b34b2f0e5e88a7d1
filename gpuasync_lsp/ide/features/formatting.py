"""Formatting: indentation and spaces as mlir-opt prints them. Comments, names, order and line breaks stay.

Only the spaces between words are touched, so what the text means cannot change: a test parses every file of
the corpus before and after.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from gpuasync_lsp.ide.lookup.tokens import Token, TokenKind, tokens
from gpuasync_lsp.text import Edit, LineIndex, Span

INDENT = 2
_CONTINUED = 4
"""Indentation of the further lines of an op, relative to its first."""

_STARTS_OP = re.compile(
    r"""(?:%[\w$.\-]+(?::\d+)?(?:\s*,\s*%[\w$.\-]+(?::\d+)?)*\s*=(?!=)|"[\w.]+"\s*(?:\(|<)|[a-z_]\w*\.[\w.]+|\^|\}|//|[\#!][\w.]+\s*=
    |(?:module|func|return|call|yield|br|cond_br|scf|llvm)\b|\{-\#)""",
    re.VERBOSE,
)


def starts_op(line: str) -> bool:
    """Tell whether a line begins an op, a block, an alias or a remark, rather than going on with one."""
    return _STARTS_OP.match(line.lstrip()) is not None


def format_edits(lines: LineIndex, first: int = 0, last: int | None = None) -> Iterator[Edit]:
    """Yield edits that format the lines `first` to `last` (included; default: all), one per changed line."""
    last = lines.line_count - 1 if last is None else min(last, lines.line_count - 1)
    state = _START
    for number in range(last + 1):
        text = lines.line_text(number)
        formatted, state = _line(text, state)
        if number >= first and formatted != text:
            start = lines.starts[number]
            # The smallest edit keeps cursors and marks where they are.
            begin = _common(text, formatted)
            end = _common(text[begin:][::-1], formatted[begin:][::-1])
            span = Span(start + begin, start + len(text) - end)
            yield Edit(span, formatted[begin : len(formatted) - end])


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
    if re.match(r"//[ \t]*-----", content) and text[0] == "/":
        return text.rstrip(), state
    indent = state.indent_of(content)
    spaced, brackets = _spaced(content)
    depth, inner, _ = state
    for bracket in brackets:
        if bracket == "{":
            depth += 1
        elif bracket == "}":
            depth = max(depth - 1, 0)
        elif bracket in "([":
            inner += 1
        else:
            inner = max(inner - 1, 0)
    return " " * indent + spaced, _State(depth, inner, False)


def _spaced(content: str) -> tuple[str, str]:
    """Return a line with canonical spaces between its words, and its brackets."""
    words = list(tokens(content))
    parts: list[str] = []
    brackets = ""
    for number, word in enumerate(words):
        if number:
            gap = content[words[number - 1].end : word.start]
            parts.append(_gap(content, words[number - 1], word, gap))
        text = content[word.start : word.end]
        parts.append(text)
        if word.kind is TokenKind.MARK and text in "{}()[]":
            brackets += text
    return "".join(parts), brackets


def _gap(content: str, left: Token, right: Token, gap: str) -> str:
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
    if a == ":" and gap:
        return " "
    return " " if gap else ""


def _common(a: str, b: str) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
