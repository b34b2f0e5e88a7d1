"""What `%s` and the like stand for in a command.

Facts: lit's getDefaultSubstitutions (LLVM 16 to 23). Those that a project configures (`%mlir_runner_utils`)
are not known here. Paths come in after the quotes and pipes: one with a blank or a `;` in it stays one word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gpuasync_lsp.ide.runlines.script import MOST_OF_LINE
from gpuasync_lsp.ide.runlines.unsupported import Unsupported

_PLACE = re.compile(r"%(?:%|\{([^{}\s]{1,100})\}|/?([A-Za-z_][A-Za-z_0-9]*))")
_DEEPEST = 20
"""How often what a definition stands for may name others."""
_NAMES = (
    "s",
    "S",
    "p",
    "t",
    "T",
    "pathsep",
    "fs-sep",
    "s:basename",
    "s:stem",
    "t:stem",
    "basename_t",
    "s:real",
    "S:real",
    "p:real",
    "t:real",
)
_LETTERS = "sSptT"
_FIRST = 0xF0000
"""The first of the characters, of a plane that no alphabet uses, that hold the places of `_NAMES`."""
_HELD = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + len(_NAMES) - 1)}]")


@dataclass(frozen=True, slots=True)
class Paths:
    """Where a test is, and where its files go."""

    source: str
    """The whole path of the file that `%s` names."""
    folder: str
    """The folder that `%S` names: that of the test, also where `%s` is a copy."""
    temporary: str
    """A folder of our own, that goes when the test has been run."""

    @property
    def base(self) -> str:
        """What `%t` stands for."""
        return os.path.join(self.temporary, os.path.basename(self.source) + ".tmp")

    def filled(self, word: str) -> str:
        """Return a word of a substituted command with its paths."""
        return _HELD.sub(lambda found: self._value(_NAMES[ord(found[0]) - _FIRST]), word)

    def _value(self, name: str) -> str:
        base = os.path.basename(self.source)
        letter, _, form = name.partition(":")
        if form in ("basename", "stem") or name == "basename_t":
            return os.path.splitext(base)[0] if name == "s:stem" else base
        value = {
            "s": self.source,
            "S": self.folder,
            "p": self.folder,
            "t": self.base,
            "T": self.temporary,
            "pathsep": os.pathsep,
            "fs-sep": os.sep,
        }[letter]
        return os.path.realpath(value) if form == "real" else value


def substituted(command: str, definitions: Mapping[str, str], keeps_unknown: bool = False) -> str:
    """Return a command with definitions put in, and characters that hold the places of paths.

    Raises Unsupported, which names what is not known; `keeps_unknown` leaves that as it is written.
    """
    if _HELD.search(command) or any(_HELD.search(each) for each in definitions.values()):
        raise Unsupported("a character of a private plane of Unicode")
    left = MOST_OF_LINE

    def replaced(text: str, depth: int) -> str:
        nonlocal left
        parts: list[str] = []
        at = 0
        for found in _PLACE.finditer(text):
            parts += (text[at : found.start()], one(found, depth))
            at = found.end()
        result = "".join((*parts, text[at:]))
        left -= len(result)
        if left < 0:
            raise Unsupported(f"substitutions that make more than {MOST_OF_LINE} characters")
        return result

    def one(found: re.Match[str], depth: int) -> str:
        if found[0] == "%%":
            return "%"
        name = found[2] if found[1] is None else found[1]
        if found[1] is not None and name in definitions:
            if depth == _DEEPEST:
                raise Unsupported(f"%{{{name}}}, which is defined by itself")
            return replaced(definitions[name], depth + 1)
        if name in _NAMES:
            return _hold(name)
        # %t1 is another file of the test's.
        if name[0] in _LETTERS and name[1:].isdecimal():
            return _hold(name[0]) + name[1:]
        if keeps_unknown:
            return found[0]
        raise Unsupported(f"names {found[0]}")

    return replaced(command, 0)


def _hold(name: str) -> str:
    return chr(_FIRST + _NAMES.index(name))
