"""Finds the end of an op's text without parsing it.

Used for ops of unknown dialects and for ops with a syntax error: an op ends where its brackets are closed and
the next line begins an op or a block, or closes the enclosing region.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuasync_lsp.syntax.lexer import SPACE
from gpuasync_lsp.syntax.ods.table import entry
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_NAME = r"%(?:[0-9]+|[a-zA-Z$._-][\w$.-]*)"
_RESULT = lazy_pattern(rf"({_NAME})(?:\s*:\s*(\d{{1,4}}))?\s*(,|=)?\s*")
_OP_NAME = lazy_pattern(r'"([^"\n]*)"|[A-Za-z_][\w$.]*')
_SCAN = lazy_pattern(
    r"(?P<space>[ \t\r\n\0]+|//[^\n\r]*)"
    r'|(?P<string>@?"(?:[^"\\\n]|\\.)*"?)'
    rf"|(?P<value>{_NAME}(?:#\d+)?)"
    r"|(?P<block>\^(?:[0-9]+|[a-zA-Z$._-][\w$.-]*))"
    r"|(?P<word>[@#!]?[A-Za-z_][\w$.]*)"
    r"|(?P<arrow>->)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_ASSIGNMENT = lazy_pattern(rf"{_NAME}(?:\s*:\s*\d+)?(?:\s*,\s*{_NAME}(?:\s*:\s*\d+)?)*\s*=(?!=)")
_SUGAR = r"(?:return|br|cond_br|call|constant|module|func|unreachable|yield)\b"
_OP_START = lazy_pattern(rf'{_ASSIGNMENT.pattern}|[A-Za-z_][\w$]*\.[A-Za-z_][\w$.]*|{_SUGAR}|"[\w$.]+"\s*\(')
_BARE = lazy_pattern(r"[a-z_]\w*")
_ENTRY = lazy_pattern(r"[ \t]*[=,}]")
"""Matches text that can follow the name of a dictionary entry, but not the name of an op."""
_REGION = lazy_pattern(
    rf"\{{{SPACE.pattern}"
    rf'(?:{_ASSIGNMENT.pattern}|\^|"[\w$.]+"\s*\('
    r"|(?P<word>[A-Za-z_][\w$.]*)(?P<next>\s*[=,}]?)|(?P<empty>\}))"
)


@dataclass(frozen=True)
class OpText:
    """The header of an op's text: its results and its name."""

    start: int
    results: tuple[tuple[Span, int], ...]
    name: str
    name_span: Span
    body_start: int
    """The offset after the name."""

    @property
    def is_dotted(self) -> bool:
        """Return whether the name includes its dialect."""
        return "." in self.name

    @property
    def dialect(self) -> str:
        """The prefix of the name, usually its dialect."""
        return self.name.partition(".")[0]

    @staticmethod
    def read(text: str, start: int) -> OpText:
        """Read the header of the op at `start`, even if it is malformed."""
        results: list[tuple[Span, int]] = []
        at = start
        assigned = False
        while (match := _RESULT.match(text, at)) is not None:
            results.append((Span(*match.span(1)), max(1, int(match[2] or 1))))
            at = match.end()
            assigned = match[3] == "="
            if match[3] != ",":
                break
        if results and not assigned:
            # `%a` without an assignment is a use in an incomplete line, not a result.
            results, at = [], start
        name = _OP_NAME.match(text, at)
        if name is None:
            # The next line does not belong to the op.
            end = start + len(text[start:at].rstrip())
            return OpText(start, tuple(results), "", Span(at, at), end)
        return OpText(start, tuple(results), name[1] or name[0], Span(*name.span()), name.end())


class Extent:
    """Iterates over the tokens of one op's text, up to the op's end."""

    def __init__(self, text: str, start: int, inner: str = "", outer: str = "") -> None:
        self.text = text
        self._inner, self._outer = inner, outer
        """The default dialects: inside the op's regions, and around the op."""
        self.end = start
        """The end of the last token so far."""
        self.arrow: int | None = None
        """The offset after the last `->` outside of brackets; None if there is none so far."""
        self._at = start
        self._open: list[str] = []
        self._last = ""

    def resume(self, position: int) -> None:
        """Continue at `position`, after a region that the caller has parsed."""
        self._at = self.end = position
        self._last = "}"

    def next(self) -> tuple[str, Span] | None:
        """Return the next token of the op, or None at its end."""
        text = self.text
        while (match := _SCAN.match(text, self._at)) is not None:
            token = match[0]
            if match.lastgroup == "space":
                self._at = match.end()
                if ("\n" in token or "\r" in token) and self._ends_at(self._at):
                    return None
                continue
            if token == "}" and "{" not in self._open:
                return None
            if match.lastgroup == "block" and not self._open and text.startswith(":", match.end()):
                return None  # The next block's label is on the same line.
            if token in "([{" and match.lastgroup == "other":
                self._open.append(token)
            elif token in ")]}" and match.lastgroup == "other":
                self._close(token)
            elif token == "->" and not self._open:
                self.arrow = match.end()
            self._at = self.end = match.end()
            self._last = token
            if token == "{" and region_follows(text, match.start(), self._inner):
                self._open.pop()
            return token, Span(*match.span())
        return None

    def _close(self, token: str) -> None:
        opening = {")": "(", "]": "[", "}": "{"}[token]
        if opening in self._open:
            while self._open.pop() != opening:
                pass

    def _ends_at(self, position: int) -> bool:
        rest = _skip_space(self.text, position)
        if rest >= len(self.text):
            return True
        if _ASSIGNMENT.match(self.text, rest):
            return True
        start = _OP_START.match(self.text, rest)
        if "{" in self._open:
            # In an unclosed attribute dictionary, only an op name ends the op, not the name of an entry.
            return start is not None and not _ENTRY.match(self.text, start.end())
        if self.text[rest] in "}^" and not (self._last in (",", "[") and self.text[rest] == "^"):
            return True
        continues = self._last in (",", ":", "=", "->", "(", "[")
        if self._open or continues:
            # With an unclosed bracket, only a line that cannot continue an operand or type list ends the op.
            plain = start is not None and self.text[rest] != '"'
            return plain and not continues and self._at_line_start(rest)
        return start is not None or self._names_op(rest)

    def _names_op(self, position: int) -> bool:
        """Return whether an op name without a dialect prefix begins at `position`."""
        word = _BARE.match(self.text, position) if self._outer else None
        return word is not None and entry(f"{self._outer}.{word[0]}") is not None

    def _at_line_start(self, position: int) -> bool:
        before = self.text.rfind("\n", 0, position) + 1
        return not self.text[before:position].strip()

    @staticmethod
    def of_line(text: str, position: int) -> int:
        """Return the start of the next line that may begin an op or a block, or close a region."""
        while (newline := text.find("\n", position)) >= 0:
            position = _skip_space(text, newline + 1)
            if position >= len(text) or text[position] in "}^#!" or _OP_START.match(text, position):
                return position
        closing = text.find("}", position)
        return closing if closing >= 0 else len(text)


def region_follows(text: str, brace: int, dialect: str = "") -> bool:
    """Return whether the `{` at `brace` begins a region, not an attribute dictionary.

    Ops in the region may omit the prefix of `dialect`.
    """
    match = _REGION.match(text, brace)
    if match is None:
        return False
    if match["empty"]:
        # `{}` on one line is an empty dictionary; an empty region spans lines.
        return "\n" in match[0]
    if match["word"] is not None:
        word, after = match["word"], match["next"].strip()
        if after in ("=", ","):
            return False
        if after == "}":
            # `{word}` is a dictionary with a unit attribute, or a region with one op.
            return "\n" in match[0] or word == "return" or entry(word) is not None
        is_sugar = "." in word or re.match(_SUGAR, word) is not None
        return is_sugar or entry(f"{dialect}.{word}") is not None
    return True


def closing_braces(text: str) -> dict[int, int]:
    """Return the offset of the matching `}` for each closed `{`."""
    found: dict[int, int] = {}
    pending: list[int] = []
    for match in _SCAN.finditer(text):
        if match[0] == "{":
            pending.append(match.start())
        elif match[0] == "}" and pending:
            found[pending.pop()] = match.start()
    return found


def _skip_space(text: str, position: int) -> int:
    while (match := _SCAN.match(text, position)) is not None and match.lastgroup == "space":
        position = match.end()
    return position
