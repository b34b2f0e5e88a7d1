"""The words of MLIR source, for features that work on text.

Such features need no parser, so they work on incomplete lines, unknown dialects and unfinished files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from gpuasync_lsp.text import Span

if TYPE_CHECKING:
    from gpuasync_lsp.syntax.source import Item


class TokenKind(Enum):
    """The kind of a word, by its first character."""

    COMMENT = "comment"
    STRING = "string"
    VALUE = "value"
    """`%name`, without a following `#1` or `:2`."""
    SYMBOL = "symbol"
    BLOCK = "block"
    ATTRIBUTE = "attribute"
    """`#alias` or `#dialect.attribute`."""
    TYPE = "type"
    """`!alias` or `!dialect.type`, and the builtin types."""
    NUMBER = "number"
    WORD = "word"
    """Names of ops, keywords, attribute names."""
    MARK = "mark"
    """Brackets, commas and the like."""


class Token(NamedTuple):
    """One word and its position."""

    kind: TokenKind
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The span of the word."""
        return Span(self.start, self.end)


_NAME = r"[A-Za-z_$.\-][\w$.\-]*"
_TOKEN = re.compile(
    rf"""
      (?P<comment>//[^\n\r]*)
    | (?P<string>"(?:[^"\\\n\r]|\\.)*"?)
    | (?P<value>%(?:\d+|{_NAME})?)
    | (?P<symbol>@(?:[A-Za-z_][\w$.]*|"(?:[^"\\\n\r]|\\.)*"?)?)
    | (?P<block>\^(?:\d+|{_NAME})?)
    | (?P<attribute>\#(?:\d+(?![\w])|{_NAME})?)
    | (?P<type>!(?:{_NAME})?
        | (?<![\w$.])(?:memref|vector|tensor|complex|tuple|index|none|bf16|tf32|f\d\w*|[su]?i\d+)(?![\w$.]))
    | (?P<number>0x[0-9a-fA-F]+|-?\d+(?:\.\d+(?:[eE][-+]?\d+)?)?)
    | (?P<word>[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*)
    | (?P<mark>->|::|[^\s\w])
    """,
    re.VERBOSE,
)
_KINDS = {kind.value: kind for kind in TokenKind}


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Yield the words of `text[start:end]` in order, comments included."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        yield Token(_KINDS[match.lastgroup or "mark"], match.start(), match.end())


def item_tokens(item: Item) -> list[Token]:
    """Return the words of an item, memoized."""
    found: list[Token] | None = item.memo.get("ide.tokens")
    if found is None:
        found = item.memo["ide.tokens"] = list(tokens(item.text))
    return found


def is_written(text: str, name: str, kind: TokenKind) -> bool:
    """Return whether `name` occurs in `text` as a word of this kind."""
    for match in re.finditer(rf"{re.escape(name)}(?![\w$.\-])", text):
        line = max(text.rfind("\n", 0, match.start()), text.rfind("\r", 0, match.start())) + 1
        if any(token == (kind, *match.span()) for token in tokens(text, line, match.end())):
            return True
    return False


def token_at(text: str, offset: int, start: int = 0) -> Token | None:
    """Return the word that contains `offset` or ends there; a word that begins there takes precedence.

    Scanning starts at `start`, a position before the word, for instance a line's beginning.
    """
    before: Token | None = None
    for token in tokens(text, start):
        if token.start > offset:
            break
        if token.start <= offset < token.end:
            # At `)|%x` and at `%x|)`, with the cursor at `|`, the value is meant.
            if token.kind is TokenKind.MARK and before is not None and before.end == offset:
                return before
            return token
        before = token
    return before if before is not None and before.end == offset else None
