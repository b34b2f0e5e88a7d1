"""MLIR tokens, one regular-expression match each.

xDSL's lexer spends a third of a parse on whitespace and single characters; this one gives the same
tokens about four times as fast. Like MLIR's own, it treats NUL as white space and knows only ASCII letters.
"""

from __future__ import annotations

import re

from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRTokenKind, StringLiteral

SPACE = re.compile(r"(?:[ \t\n\r\0]+|//[^\n\r]*)*")
"""White space and comments, possibly none."""

_SUFFIX = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"
_STRING = r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"'
_TOKEN = re.compile(
    r"(?:[ \t\n\r\0]+|//[^\n\r]*)*(?:"
    r"(?P<BARE_IDENT>[a-zA-Z_][a-zA-Z0-9_$.]*)"
    rf"|(?P<PERCENT_IDENT>%{_SUFFIX})"
    r"|(?P<punctuation>->|\{-#|#-\}|\.\.\.|[:,(){}\[\]<>=+\-/*?|])"
    r"|(?P<INTEGER_LIT>0x[0-9a-fA-F]+|[0-9]+(?!\.|[0-9]))"
    r"|(?P<FLOAT_LIT>[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<HASH_IDENT>#{_SUFFIX})"
    rf"|(?P<EXCLAMATION_IDENT>!{_SUFFIX})"
    rf"|(?P<AT_IDENT>@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{_STRING}))"
    rf"|(?P<CARET_IDENT>\^{_SUFFIX})"
    rf"|(?P<STRING_LIT>{_STRING})"
    r"|(?P<EOF>\Z))"
)
_KINDS = {kind.name: kind for kind in MLIRTokenKind}
_PUNCTUATION: dict[str, MLIRTokenKind] = dict(KIND_BY_PUNCTUATION_SPELLING)


class FastSpan(Span[str]):
    """A span that is cheap to make: a frozen dataclass pays for each field."""

    def __init__(self, start: int, end: int, input: Input[str]) -> None:  # pyright: ignore[reportMissingSuperCall]
        fields = self.__dict__
        fields["start"] = start
        fields["end"] = end
        fields["input"] = input


class FastToken(Token[MLIRTokenKind, str]):
    """A token that keeps its text."""

    __slots__ = ("text",)

    def __init__(self, kind: MLIRTokenKind, span: Span[str], text: str) -> None:  # pyright: ignore[reportMissingSuperCall]
        self.kind = kind
        self.span = span
        self.text = text  # pyright: ignore


class FastLexer(MLIRLexer):
    """The lexer of one text; it never raises.

    A character that begins no token is a token of a kind that no rule of the grammar expects; `error_at` says
    what is wrong with it.
    """

    previous_end: int = 0
    """Where the last token that was consumed ends."""

    def lex(self) -> FastToken:
        """Return the next token."""
        self.previous_end = self.pos
        match = _TOKEN.match(self.input.content, self.pos)
        if match is None or match.lastgroup is None:
            return self._no_token()
        group = match.lastgroup
        start, end = match.span(group)
        text = match[group]
        self.pos = end
        span = FastSpan(start, end, self.input)
        if group == "punctuation":
            return FastToken(_PUNCTUATION[text], span, text)
        if group == "STRING_LIT":
            literal = StringLiteral(start, end, self.input)
            binary = "\\" in text and not literal.bytes_contents.isascii()
            return FastToken(MLIRTokenKind.BYTES_LIT if binary else MLIRTokenKind.STRING_LIT, literal, text)
        return FastToken(_KINDS[group], span, text)

    def _no_token(self) -> FastToken:
        space = SPACE.match(self.input.content, self.pos)
        start = space.end() if space else self.pos
        self.pos = start + 1
        span = FastSpan(start, start + 1, self.input)
        return FastToken(MLIRTokenKind.FILE_METADATA_END, span, self.input.content[start])

    def error_at(self, position: int) -> str | None:
        """Return what is wrong with the character at `position`, or None if a token or space begins there."""
        content = self.input.content
        if position >= len(content):
            return None
        match = _TOKEN.match(content, position)
        if match is not None and match.lastgroup is not None:
            return None
        character = content[position]
        if character == '"':
            return "expected '\"' in string literal"
        if character in _PREFIXED:
            return f"invalid {_PREFIXED[character]} name"
        return f"unexpected character: {character!r}"


_PREFIXED = {"%": "SSA", "^": "block", "#": "attribute", "!": "type", "@": "symbol"}
