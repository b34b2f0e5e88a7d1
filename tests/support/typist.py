"""Simulates a user who types in an editor that behaves as VS Code: suggestions appear and Enter accepts
them.

The model follows VS Code's `suggestModel.ts` and `completionModel.ts`: suggestions are requested at a
trigger character, and while a word is typed that is not a number; an incomplete list is requested again
at each key; any other key closes it; Enter and Tab accept the first suggestion that matches, other keys
never do. An opening bracket or quote before a blank inserts the closing one, which can be typed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.features.completion import Completion, completions
from gpuasync_lsp.lsp.capabilities import server_capabilities
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.text import LineIndex

WORD = re.compile(r"[%@#!^]?[A-Za-z_$.][\w$.-]*|[%^]\d+|-?\d+(\.\d+)?")
"""`wordPattern` in the extension's language configuration."""
_CLOSES = {"[": "]", "(": ")", "<": ">", '"': '"'}
_TRIGGERS = frozenset(server_capabilities(Client())["completionProvider"]["triggerCharacters"])


@dataclass
class Typist:
    """A text with a cursor, and the open list of suggestions."""

    text: str = ""
    at: int = 0
    suggestions: tuple[Completion, ...] = ()
    taken: str = ""
    """The label of the first suggestion that a key accepted unintentionally."""

    def __post_init__(self) -> None:
        self._closers: list[int] = []
        self._state: FileState | None = None
        self._resolver = SettingsResolver()

    def type(self, lines: list[str]) -> None:
        """Type lines including their indentation, with Enter between them."""
        for number, line in enumerate(lines):
            if number:
                self.enter()
            content = line.lstrip(" ")
            # Insert the indentation as a whole: an editor indents, and the user corrects it.
            self._insert(" " * (len(line) - len(content)))
            for key in content:
                self.key(key)

    def key(self, key: str) -> None:
        """Press one key other than Enter."""
        if self._closers and self._closers[-1] == self.at and self.text[self.at : self.at + 1] == key:
            self._closers.pop()
            self.at += 1
            self.suggestions = ()
            return
        prose = self._in_prose()
        self._insert(key)
        follows = self.text[self.at : self.at + 1]
        if key in _CLOSES and (not follows or follows.isspace() or follows in ")]>},") and not prose:
            self._insert(_CLOSES[key])
            self.at -= 1
            self._closers.append(self.at)
        self._suggest(key)

    def enter(self) -> None:
        """Press Enter."""
        if self.suggestions:
            first = self.suggestions[0]
            self.taken = self.taken or f"{first.label!r} for {self.line()!r}"
            self.suggestions = ()
        self._closers.clear()
        self._insert("\n")

    def line(self) -> str:
        """Return the current line up to the cursor."""
        return self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]

    def _insert(self, text: str) -> None:
        self.text = self.text[: self.at] + text + self.text[self.at :]
        self._closers = [place + len(text) if place >= self.at else place for place in self._closers]
        self.at += len(text)

    def _analyzed(self) -> FileState:
        if self._state is None or self._state.text != self.text:
            self._state = file_state(LineIndex(self.text), None, self._resolver, self._state)
        return self._state

    def _in_prose(self) -> bool:
        return "//" in self.line() or self.line().count('"') % 2 == 1

    def _suggest(self, key: str) -> None:
        word = next((m[0] for m in WORD.finditer(self.line()) if m.end() == len(self.line())), "")
        is_word = bool(word) and not re.fullmatch(r"-?\d+(\.\d+)?", word)
        # `editor.quickSuggestions` is off in comments and strings, but trigger characters work there.
        asked = key in _TRIGGERS or (is_word and not self._in_prose())
        found = completions(self._analyzed(), self.at) if asked else []
        self.suggestions = tuple(c for c in found if _matches(self.text[c.span.start : self.at], c.label))


def _matches(typed: str, label: str) -> bool:
    """Return whether `label` contains the typed letters in order."""
    letters = iter(label.lower())
    return all(letter in letters for letter in typed.lower())
