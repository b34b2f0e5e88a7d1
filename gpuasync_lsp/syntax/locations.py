"""`loc(...)`, which is kept as text: MLIR's parser errors, and the files that it refers to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from gpuasync_lsp.text import Loc

_BLANK = re.compile(r"\s+|//[^\n]*")
_TOKEN = re.compile(r'("(?:[^"\\\n]|\\.)*"|[0-9]+|[A-Za-z_]\w*|#[A-Za-z_][\w.$-]*|.|$)', re.DOTALL)
_DEEPEST = 200
"""Maximum nesting of locations."""


class WrongLocation(Exception):
    """A syntax error in a location, with its offset in the text."""

    def __init__(self, position: int, words: str) -> None:
        super().__init__(words)
        self.position = position
        self.words = words


class _TooDeep(Exception):
    """Raised for a location that is nested deeper than `_DEEPEST`."""


class Mentioned(NamedTuple):
    """An alias used in a location: its name with `#`, and its offset."""

    name: str
    position: int


def file_places(text: str, alias: Callable[[str], str] = lambda _: "") -> list[Loc]:
    """Return the file positions in a location: first that of the op, then those of its callers.

    Callers are listed innermost first; for a fused location, the first part with a position is used.

    `text` is the text between the parentheses of `loc(...)`; `alias` returns the text of an alias
    (`#loc1`). A location that MLIR rejects has no positions."""
    reader = _Reader(text, 0, len(text), lambda at: text.find(">", at))
    reader.alias = alias
    try:
        return reader.location(0)
    except (WrongLocation, _TooDeep):
        return []


def check_location(text: str, start: int, end: int, skip: Callable[[int], int]) -> list[Mentioned]:
    """Return the aliases in the location `text[start:end]`.

    `skip(offset)` returns the offset of the bracket that closes the bracket before `offset`. Raises
    WrongLocation if MLIR's parser (of LLVM 22) rejects the location.
    """
    reader = _Reader(text, start, end, skip)
    try:
        reader.location(0)
    except _TooDeep:
        return reader.aliases
    if reader.token:
        raise WrongLocation(reader.position, "expected ')' in location")
    return reader.aliases


class _Reader:
    def __init__(self, text: str, start: int, end: int, skip: Callable[[int], int]) -> None:
        self._text, self._end, self._skip = text, end, skip
        self.aliases: list[Mentioned] = []
        self.alias: Callable[[str], str] = lambda _: ""
        self._go(start)

    def _go(self, position: int) -> None:
        while (blank := _BLANK.match(self._text, position)) is not None:
            position = blank.end()
        match = _TOKEN.match(self._text, position)
        inside = match is not None and match.start(1) < self._end
        self.token = match[1] if match is not None and inside else ""
        self.position = match.start(1) if match is not None and inside else self._end

    def _take(self) -> str:
        token = self.token
        self._go(self.position + len(token))
        return token

    def _takes(self, token: str) -> bool:
        if self.token != token:
            return False
        self._take()
        return True

    def _expect(self, token: str, words: str) -> None:
        if self.token != token:
            raise WrongLocation(self.position, words)
        self._take()

    def location(self, depth: int) -> list[Loc]:
        """Parse a location; return its file positions, in the form of `file_places`."""
        token = self.token
        if depth > _DEEPEST:
            raise _TooDeep
        if token[:1] == '"':
            self._take()
            return self._named(depth, token[1:-1])
        if token[:1] == "#":
            self.aliases.append(Mentioned(token, self.position))
            self._take()
            if self.token == "<":
                self._go(self._skip(self.position + 1) + 1)
            return self._of_alias(self.alias(token), depth)
        if token == "unknown":
            self._take()
        elif token == "callsite":
            self._take()
            self._expect("(", "expected '(' in callsite location")
            callee = self.location(depth + 1)
            self._expect("at", "expected 'at' in callsite location")
            caller = self.location(depth + 1)
            self._expect(")", "expected ')' in callsite location")
            return [*callee, *caller]
        elif token == "fused":
            self._take()
            return self._fused(depth)
        else:
            raise WrongLocation(self.position, "expected location instance")

        return []

    def _of_alias(self, text: str, depth: int) -> list[Loc]:
        if not text:
            return []
        reader = _Reader(text, 0, len(text), lambda at: text.find(">", at))
        reader.alias = self.alias
        return reader.location(depth + 1)

    def _fused(self, depth: int) -> list[Loc]:
        if self.token == "<":
            self._go(self._skip(self.position + 1) + 1)
        self._expect("[", "expected '[' in fused location")
        places: list[Loc] = []
        if self.token != "]":
            places = self.location(depth + 1)
            while self.token == ",":
                self._take()
                more = self.location(depth + 1)
                places = places or more
        self._expect("]", "expected ']' in fused location")
        return places

    def _named(self, depth: int, name: str) -> list[Loc]:
        if self.token == "(":
            self._take()
            places = self.location(depth + 1)
            self._expect(")", "expected ')' after child location of NameLoc")
            return places
        if not self._takes(":"):
            return []
        line, column = self._number("line"), 1
        if self._takes(":"):
            column = self._number("column")
        if self._takes("to"):
            self._range_end()
        return [Loc(name, line, column)]

    def _range_end(self) -> None:
        if self.token.isdecimal():
            self._take()
            self._expect(":", "expected either integer or `:` post `to` in FileLineColRange")
        elif self.token == ":":
            self._take()
        else:
            words = "expected either integer or `:` post `to` in FileLineColRange"
            raise WrongLocation(self.position, words)
        self._number("column")

    def _number(self, kind: str) -> int:
        if not self.token.isdecimal():
            raise WrongLocation(self.position, f"expected integer {kind} number in FileLineColRange")
        return int(self._take()[:9])
