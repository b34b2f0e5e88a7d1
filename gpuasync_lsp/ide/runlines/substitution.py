"""Substitutions in a command, such as `%s`.

Source: lit's getDefaultSubstitutions (LLVM 16 to 23). Substitutions that a project configures
(`%mlir_runner_utils`) are unknown here. Paths are substituted after parsing quotes and pipes, so a path with
a blank or a `;` remains one word.
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
"""The maximum nesting depth of definitions."""
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
"""The first of the private-use characters that serve as placeholders for `_NAMES`."""
_HELD = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + len(_NAMES) - 1)}]")


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of a test and its temporary files."""

    source: str
    """The full path of the file that replaces `%s`."""
    folder: str
    """The folder that replaces `%S`: the test's own, even if `%s` is a copy."""
    temporary: str
    """The path of the temporary folder, which is removed after the test."""

    @property
    def base(self) -> str:
        """The value of `%t`."""
        return os.path.join(self.temporary, os.path.basename(self.source) + ".tmp")

    def filled(self, word: str) -> str:
        """Return a word of a substituted command with its placeholders replaced by paths."""
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
    """Return a command with definitions substituted, and placeholders for paths.

    Raises Unsupported, which names an unknown substitution; with `keeps_unknown`, unknown substitutions are
    kept.
    """
    if _HELD.search(command) or any(_HELD.search(each) for each in definitions.values()):
        raise Unsupported("a character of a private-use plane of Unicode")
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
            raise Unsupported(f"substitutions that expand to more than {MOST_OF_LINE} characters")
        return result

    def one(found: re.Match[str], depth: int) -> str:
        if found[0] == "%%":
            return "%"
        name = found[2] if found[1] is None else found[1]
        if found[1] is not None and name in definitions:
            if depth == _DEEPEST:
                raise Unsupported(f"%{{{name}}}, which is defined in terms of itself")
            return replaced(definitions[name], depth + 1)
        if name in _NAMES:
            return _hold(name)
        # %t1 is not `%t` followed by 1, but names a different file.
        if name[0] in _LETTERS and name[1:].isdecimal():
            return _hold(name[0]) + name[1:]
        if keeps_unknown:
            return found[0]
        raise Unsupported(f"uses {found[0]}")

    return replaced(command, 0)


def _hold(name: str) -> str:
    return chr(_FIRST + _NAMES.index(name))
