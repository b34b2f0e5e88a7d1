"""Assembly formats of ops (`$lhs `,` $rhs attr-dict `:` type($lhs)`) as trees.

The language: https://mlir.llvm.org/docs/DefiningDialects/Operations/#declarative-assembly-format
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """A keyword or punctuation."""

    text: str


@dataclass(frozen=True, slots=True)
class Space:
    """Whitespace that is printed but not parsed; empty `text` suppresses a space."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name`: an operand, attribute, region or successor."""

    name: str


@dataclass(frozen=True, slots=True)
class Text:
    """A C++ argument of a directive, such as a quoted string."""

    text: str


@dataclass(frozen=True, slots=True)
class Directive:
    """`attr-dict`, `operands`, `type($x)`, `functional-type(...)`, `custom<Name>(...)`."""

    name: str
    arguments: tuple[Element, ...] = ()
    function: str = ""
    """The `Name` of a `custom` directive."""


@dataclass(frozen=True, slots=True)
class Optional:
    """An optional group: `(then^)? : (otherwise)?`."""

    then: tuple[Element, ...]
    otherwise: tuple[Element, ...]
    anchor: Element | None


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """`oilist(a | b)`: clauses in any order."""

    clauses: tuple[tuple[Element, ...], ...]


Element = Literal | Space | Variable | Text | Directive | Optional | AnyOrder


class FormatError(ValueError):
    """Raised for an unsupported or invalid assembly format."""


_TOKEN = re.compile(
    r"\s*(?:(?P<literal>`[^`]*`)|(?P<variable>\$\w+)|(?P<word>[A-Za-z][\w-]*)"
    r'|(?P<text>"[^"]*")|(?P<mark>[()<>^?:,|]))'
)
_KEYWORDS = (
    "attr-dict",
    "attr-dict-with-keyword",
    "prop-dict",
    "operands",
    "results",
    "regions",
    "successors",
)
_WITH_ARGUMENTS = ("type", "functional-type", "qualified", "ref")


def parse_format(text: str) -> tuple[Element, ...]:
    """Parse an assembly format; raises FormatError."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise FormatError(f"unexpected {text[at : at + 10]!r}")
            self._tokens.append(match[match.lastgroup or 0])
            at = match.end()
        self._at = 0

    def read(self) -> tuple[Element, ...]:
        elements = self._elements(())
        if self._at != len(self._tokens):
            raise FormatError(f"unexpected {self._tokens[self._at]!r}")
        return tuple(elements)

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self, wanted: str = "") -> str:
        token = self._peek()
        if not token or (wanted and token != wanted):
            raise FormatError(f"expected {wanted or 'more'!r}")
        self._at += 1
        return token

    def _elements(self, ends: Sequence[str]) -> list[Element]:
        found: list[Element] = []
        while self._peek() and self._peek() not in ends:
            found.append(self._element())
        return found

    def _element(self) -> Element:
        token = self._next()
        if token[0] == "`":
            inner = token[1:-1]
            return Literal(inner) if inner.strip() and inner != "\\n" else Space(inner.replace("\\n", "\n"))
        if token[0] == '"':
            return Text(token[1:-1])
        if token[0] == "$":
            return Variable(token[1:])
        if token == "(":
            return self._optional()
        if token in _KEYWORDS:
            return Directive(token)
        if token in _WITH_ARGUMENTS:
            return Directive(token, self._arguments())
        if token == "oilist":
            self._next("(")
            clauses = [tuple(self._elements(("|", ")")))]
            while self._peek() == "|":
                self._next()
                clauses.append(tuple(self._elements(("|", ")"))))
            self._next(")")
            return AnyOrder(tuple(clauses))
        if token == "custom":
            self._next("<")
            function = self._next()
            self._next(">")
            return Directive("custom", self._arguments(), function)
        raise FormatError(f"unexpected {token!r}")

    def _arguments(self) -> tuple[Element, ...]:
        self._next("(")
        found = [self._element()]
        while self._peek() == ",":
            self._next()
            found.append(self._element())
        self._next(")")
        return tuple(found)

    def _optional(self) -> Optional:
        then: list[Element] = []
        otherwise: list[Element] = []
        anchor: Element | None = None

        def branch(into: list[Element]) -> None:
            nonlocal anchor
            while self._peek() != ")":
                into.append(self._element())
                if self._peek() == "^":
                    self._next()
                    anchor = into[-1]
            self._next(")")

        branch(then)
        if self._peek() == ":":
            self._next()
            self._next("(")
            branch(otherwise)
        self._next("?")
        return Optional(tuple(then), tuple(otherwise), anchor)
