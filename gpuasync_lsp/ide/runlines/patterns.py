"""Regular expressions in `expected-error-re`, matched in linear time because they come from a workspace.

Source: SourceMgrDiagnosticVerifierHandler (mlir/lib/IR/Diagnostics.cpp, LLVM 22): `{{...}}` contains a POSIX
extended regular expression, other text is literal. Anchors, counted repetitions and named classes
(`[[:alpha:]]`) are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpuasync_lsp.ide.runlines.messages import MOST_OF_LINE

_MOST_STATES = 500
"""The maximum number of states, because each character of a message is compared with each state."""

_SPECIAL = frozenset("()[]{}^$.|*+?\\")


class NotSimple(Exception):
    """An unsupported regular expression."""


@dataclass(frozen=True, slots=True)
class _Characters:
    """The characters that a transition accepts: a set, or its complement."""

    members: frozenset[str]
    excluded: bool = False

    def takes(self, character: str) -> bool:
        return (character in self.members) != self.excluded


_ANY = _Characters(frozenset("\n"), True)


@dataclass(slots=True)
class Pattern:
    """A nondeterministic automaton: transitions on characters, and empty transitions."""

    steps: list[tuple[_Characters, int] | None] = field(default_factory=list[tuple[_Characters, int] | None])
    free: list[list[int]] = field(default_factory=list[list[int]])
    start: int = 0
    end: int = 0

    def state(self) -> int:
        """Return a new state. Raises NotSimple if there are too many."""
        if len(self.steps) == _MOST_STATES:
            raise NotSimple
        self.steps.append(None)
        self.free.append([])
        return len(self.steps) - 1

    def is_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in the first `MOST_OF_LINE` characters of a text."""
        current: set[int] = set()
        for character in text[:MOST_OF_LINE]:
            self._reach(self.start, current)
            if self.end in current:
                return True
            before, current = current, set[int]()
            for state in before:
                step = self.steps[state]
                if step is not None and step[0].takes(character):
                    self._reach(step[1], current)
        self._reach(self.start, current)
        return self.end in current

    def _reach(self, state: int, reached: set[int]) -> None:
        waiting = [state]
        while waiting:
            each = waiting.pop()
            if each not in reached:
                reached.add(each)
                waiting += self.free[each]


def pattern_of(text: str) -> Pattern:
    """Return the pattern for an `expected-error-re`. Raises NotSimple."""
    pattern = Pattern()
    pattern.start = pattern.end = pattern.state()
    for piece, is_expression in _pieces(text):
        if is_expression:
            reader = _Reader(pattern, piece)
            start, end = reader.choices()
            if reader.at != len(piece):
                raise NotSimple
        else:
            start, end = _literal(pattern, piece)
        pattern.free[pattern.end].append(start)
        pattern.end = end
    return pattern


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of an expectation, and for each whether it was between `{{` and `}}`."""
    at = 0
    while (start := text.find("{{", at)) >= 0:
        end = text.find("}}", start + 2)
        if end < 0:
            raise NotSimple
        yield text[at:start], False
        yield text[start + 2 : end], True
        at = end + 2
    yield text[at:], False


def _literal(pattern: Pattern, text: Sequence[str]) -> tuple[int, int]:
    start = end = pattern.state()
    for character in text:
        following = pattern.state()
        pattern.steps[end] = (_Characters(frozenset(character)), following)
        end = following
    return start, end


@dataclass(slots=True)
class _Reader:
    """Parses an expression into states; each method returns the first and last state of its part."""

    pattern: Pattern
    text: str
    at: int = 0
    depth: int = 0

    def choices(self) -> tuple[int, int]:
        """Parse `a|b`."""
        start, end = self.pattern.state(), self.pattern.state()
        while True:
            first, last = self._sequence()
            self.pattern.free[start].append(first)
            self.pattern.free[last].append(end)
            if self._next() != "|":
                return start, end
            self.at += 1

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _sequence(self) -> tuple[int, int]:
        start = end = self.pattern.state()
        while self._next() not in ("", "|", ")"):
            first, last = self._repeated()
            self.pattern.free[end].append(first)
            end = last
        return start, end

    def _repeated(self) -> tuple[int, int]:
        first, last = self._atom()
        start, end = self.pattern.state(), self.pattern.state()
        free = self.pattern.free
        free[start].append(first)
        free[last].append(end)
        while (sign := self._next()) and sign in "*+?":
            self.at += 1
            if sign in "*?":
                free[start].append(end)
            if sign in "*+":
                free[end].append(start)
        return start, end

    def _atom(self) -> tuple[int, int]:
        character = self._next()
        self.at += 1
        if character == "(":
            self.depth += 1
            if self.depth > 20:
                raise NotSimple
            found = self.choices()
            if self._next() != ")":
                raise NotSimple
            self.at += 1
            self.depth -= 1
            return found
        if character == ".":
            return self._step(_ANY)
        if character == "[":
            return self._step(self._class())
        if character == "\\":
            character = self._next()
            self.at += 1
            if character not in _SPECIAL:
                raise NotSimple
        elif character in _SPECIAL:
            raise NotSimple
        return self._step(_Characters(frozenset(character)))

    def _step(self, characters: _Characters) -> tuple[int, int]:
        start, end = self.pattern.state(), self.pattern.state()
        self.pattern.steps[start] = (characters, end)
        return start, end

    def _class(self) -> _Characters:
        """Parse the rest of a bracket expression, `a-z]` or `^a-z]`; a leading `]` is one of the
        characters."""
        excluded = self._next() == "^"
        self.at += excluded
        close = self.text.find("]", self.at + 1)
        inside = self.text[self.at : close]
        if close < 0 or "[" in inside:
            raise NotSimple
        self.at = close + 1
        members: set[str] = set()
        at = 0
        while at < len(inside):
            if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
                first, last = ord(inside[at]), ord(inside[at + 2])
                if last - first > 0xFF:
                    raise NotSimple
                members |= {chr(code) for code in range(first, last + 1)}
                at += 3
            else:
                members.add(inside[at])
                at += 1
        return _Characters(frozenset(members), excluded)
