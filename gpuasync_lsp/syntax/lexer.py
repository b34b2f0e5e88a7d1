"""MLIR tokens, one regular-expression match each.

xDSL's lexer spends a third of a parse on whitespace and single characters; this one produces the same
tokens about four times as fast. Like MLIR's lexer, it treats NUL as white space and accepts only ASCII
letters.
"""

from __future__ import annotations

import re

from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRTokenKind, StringLiteral

_BLANK = r"[ \t\n\r\0]*"
# A comment ends only at a line end, and each space matches in one way: a failing match does not backtrack.
_SPACE = rf"{_BLANK}(?://[^\n\r]*(?:[\n\r]{_BLANK}|\Z))*"
SPACE = re.compile(_SPACE)
"""Matches white space and comments, possibly none."""

_SUFFIX = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"
VALUE_NAME = rf"%({_SUFFIX})"
"""A pattern for the name of a value; the group is the part after `%`."""

_PLAIN_IN_STRING = r'[^"\\\n\v\f]*'
_OPEN_STRING = rf'"{_PLAIN_IN_STRING}(?:\\(?:["nt\\]|[0-9A-Fa-f]{{2}}){_PLAIN_IN_STRING})*'
_BROKEN_STRING = re.compile(_OPEN_STRING)
_STRING = _OPEN_STRING + '"'
_TOKEN = re.compile(
    rf"{_SPACE}(?:"
    r"(?P<BARE_IDENT>[a-zA-Z_][a-zA-Z0-9_$.]*)"
    rf"|(?P<PERCENT_IDENT>%{_SUFFIX})"
    r"|(?P<punctuation>->|\{-#|#-\}|\.\.\.|[:,(){}\[\]<>=+\-*?|]|/(?!/))"
    r"|(?P<INTEGER_LIT>0x[0-9a-fA-F]+|[0-9]+(?!\.|[0-9]))"
    r"|(?P<FLOAT_LIT>[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<HASH_IDENT>#{_SUFFIX})"
    rf"|(?P<EXCLAMATION_IDENT>!{_SUFFIX})"
    rf"|(?P<AT_IDENT>@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{_STRING}))"
    rf"|(?P<CARET_IDENT>\^{_SUFFIX})"
    rf"|(?P<STRING_LIT>{_STRING})"
    r"|(?P<EOF>\Z))"
)


_PUNCTUATION: dict[str, MLIRTokenKind] = dict(KIND_BY_PUNCTUATION_SPELLING)
_MATCH = _TOKEN.match
_STRING_GROUP = _TOKEN.groupindex["STRING_LIT"]
_KINDS = (
    None,
    *(
        MLIRTokenKind[name] if name != "punctuation" else None
        for name in sorted(_TOKEN.groupindex, key=_TOKEN.groupindex.__getitem__)
    ),
)
"""The token kind for each group of `_TOKEN`, whose numbers are 1-based; None for punctuation, which has
many kinds."""


class FastSpan(Span[str]):
    """A span that is cheap to create, unlike a frozen dataclass."""

    def __init__(self, start: int, end: int, input: Input[str]) -> None:  # pyright: ignore[reportMissingSuperCall]
        fields = self.__dict__
        fields["start"] = start
        fields["end"] = end
        fields["input"] = input


class FastToken(Token[MLIRTokenKind, str]):
    """A token that stores its text, and creates its span on first use."""

    __slots__ = ("_input", "kind", "start", "text")

    def __init__(self, kind: MLIRTokenKind, start: int, text: str, input: Input[str]) -> None:  # pyright: ignore[reportMissingSuperCall]
        self.kind = kind
        self.text = text  # pyright: ignore
        self.start = start
        self._input = input

    @property
    def span(self) -> Span[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The span of the token; a `StringLiteral` for a string."""
        kind = self.kind
        is_string = kind is MLIRTokenKind.STRING_LIT or kind is MLIRTokenKind.BYTES_LIT
        return (StringLiteral if is_string else FastSpan)(
            self.start, self.start + len(self.text), self._input
        )


class FastLexer(MLIRLexer):
    """The lexer of one file; it never raises.

    A character that begins no token is lexed as a token kind that the parser never expects; `error_at`
    returns its error.
    """

    previous_end: int = 0
    """The end of the last consumed token."""
    _no_string: range = range(0)
    """The range of an unterminated string. No string begins inside it, since all quotes in it are escaped.

    Scanning the rest of the file for each of them would take quadratic time."""

    def lex(self) -> FastToken:
        """Return the next token."""
        self.previous_end = position = self.pos
        input = self.input
        if position < self._no_string.stop and self._is_broken_string(position):
            return self._no_token()
        match = _MATCH(input.content, position)
        if match is None:
            return self._no_token()
        group = match.lastindex
        assert group is not None  # Each alternative is a group.
        text = match[group]
        self.pos = end = match.end()
        kind = _KINDS[group] or _PUNCTUATION[text]
        if group == _STRING_GROUP and "\\" in text:
            literal = StringLiteral(end - len(text), end, input)
            if not literal.bytes_contents.isascii():
                kind = MLIRTokenKind.BYTES_LIT
        return FastToken(kind, end - len(text), text, input)

    def _no_token(self) -> FastToken:
        content = self.input.content
        start = self._begin(self.pos)
        self.pos = start + 1
        quote = start + (content[start] == "@")
        if content.startswith('"', quote) and quote not in self._no_string:
            broken = _BROKEN_STRING.match(content, quote)
            assert broken is not None  # The opening quote always matches.
            self._no_string = range(quote, broken.end())
        return FastToken(MLIRTokenKind.FILE_METADATA_END, start, content[start], self.input)

    def _begin(self, position: int) -> int:
        """Return the offset of the next token, after white space and comments."""
        space = SPACE.match(self.input.content, position)
        return space.end() if space else position

    def _is_broken_string(self, position: int) -> bool:
        """Return whether the next token is a string already known to be unterminated."""
        content = self.input.content
        start = self._begin(position)
        quote = start + content.startswith("@", start)
        return quote in self._no_string and content.startswith('"', quote)

    def error_at(self, position: int) -> str | None:
        """Return the error for the character at `position`; None if a token or space begins there."""
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
