"""What MLIR's parser refuses in `loc(...)`, whose text is kept as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_BLANK = re.compile(r"\s+|//[^\n]*")
_TOKEN = re.compile(r'("(?:[^"\\\n]|\\.)*"|[0-9]+|[A-Za-z_]\w*|#[A-Za-z_][\w.$-]*|.|$)', re.DOTALL)
_DEEPEST = 200
"""How many locations may stand in each other until nobody looks any more."""


class WrongLocation(Exception):
    """What is wrong with a location, and where in the text."""

    def __init__(self, position: int, words: str) -> None:
        super().__init__(words)
        self.position = position
        self.words = words


class _TooDeep(Exception):
    """Nobody looks any deeper."""


class Mentioned(NamedTuple):
    """An alias in a location: its name with `#`, and where it stands."""

    name: str
    position: int


def check_location(text: str, start: int, end: int, skip: Callable[[int], int]) -> list[Mentioned]:
    """Return the aliases in the location that stands in `text` from `start` to `end`.

    `skip` returns where the bracket stands that closes the one in front of a position. Raises WrongLocation
    where MLIR's parser (of LLVM 22) reads no location.
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

    def location(self, depth: int) -> None:
        token = self.token
        if depth > _DEEPEST:
            raise _TooDeep
        if token[:1] == '"':
            self._take()
            self._named(depth)
        elif token[:1] == "#":
            self.aliases.append(Mentioned(token, self.position))
            self._take()
            if self.token == "<":
                self._go(self._skip(self.position + 1) + 1)
        elif token == "unknown":
            self._take()
        elif token == "callsite":
            self._take()
            self._expect("(", "expected '(' in callsite location")
            self.location(depth + 1)
            self._expect("at", "expected 'at' in callsite location")
            self.location(depth + 1)
            self._expect(")", "expected ')' in callsite location")
        elif token == "fused":
            self._take()
            self._fused(depth)
        else:
            raise WrongLocation(self.position, "expected location instance")

    def _fused(self, depth: int) -> None:
        if self.token == "<":
            self._go(self._skip(self.position + 1) + 1)
        self._expect("[", "expected '[' in fused location")
        if self.token != "]":
            self.location(depth + 1)
            while self.token == ",":
                self._take()
                self.location(depth + 1)
        self._expect("]", "expected ']' in fused location")

    def _named(self, depth: int) -> None:
        if self.token == "(":
            self._take()
            self.location(depth + 1)
            self._expect(")", "expected ')' after child location of NameLoc")
        elif self._takes(":"):
            self._number("line")
            if self._takes(":"):
                self._number("column")
            if self._takes("to"):
                self._range_end()

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

    def _number(self, kind: str) -> None:
        if not self.token.isdecimal():
            raise WrongLocation(self.position, f"expected integer {kind} number in FileLineColRange")
        self._take()
