"""What a user asked of the rules, in settings or comments: the version, which rules, how severe."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from gpuasync_lsp.releases import DEFAULT, Profile, known_version, profile
from gpuasync_lsp.text import Finding, Severity
from gpuasync_lsp.text.cached_property import cached_property

Level = Severity | Literal["off"]

_COMMENT = re.compile(r"//[^\S\n]*gpuasync:[^\S\n]*([^\n]*)")
_DIRECTIVE = re.compile(r"(ignore-file|ignore)(?:\[([^\[\]\n]*)\])?|llvm\s*=\s*(\d+|main\b)")


@dataclass(frozen=True)
class Config:
    """Settings of a check. Codes may be given as beginnings (`GA1`), as names, or as `ALL`."""

    llvm: int = DEFAULT
    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Level] = field(default_factory=dict[str, Level])
    pipeline: tuple[str, ...] | None = None
    """Passes that the user runs before gpu-to-llvm, as mlir-opt spells them; None: a usual pipeline, which
    lowers scf first."""

    @cached_property
    def profile(self) -> Profile:
        """The facts of the target version."""
        return profile(self.llvm)

    @cached_property
    def key(self) -> object:
        """A hashable value that two configs share exactly if they ask the same."""
        return (self.llvm, self.select, self.ignore, tuple(sorted(self.severity.items())), self.pipeline)

    def level(self, code: str, name: str, default: Severity, *, only_named: bool = False) -> Severity | None:
        """Return the severity to report a rule with, or None where it is switched off.

        With `only_named` the rule is off unless its code or name is spelt out.
        """
        if code not in self._levels:
            self._levels[code] = self._level(code, name, default, only_named=only_named)
        return self._levels[code]

    @cached_property
    def _levels(self) -> dict[str, Severity | None]:
        """What was asked for so far: every rule is asked for again at every item."""
        return {}

    def _level(self, code: str, name: str, default: Severity, *, only_named: bool) -> Severity | None:
        chosen = max((closeness(w, code, name) for w in self.select), default=-1)
        dropped = max((closeness(w, code, name) for w in self.ignore), default=-1)
        if chosen < 0 or dropped >= chosen:
            return None
        level: Level = default
        nearest = -1
        for word, asked in self.severity.items():
            spelt = closeness(word, code, name)
            if spelt > nearest:
                level, nearest = asked, spelt
        if only_named and max(chosen, nearest) < len(code):
            return None
        return None if level == "off" else level


def closeness(word: str, code: str, name: str) -> int:
    """Return how much of the rule's code `word` spells out (its name: all of it); -1 for another rule."""
    if word == name:
        return len(code)
    if word.upper() == "ALL":
        return 0
    return len(word) if word and code.startswith(word.upper()) else -1


@dataclass(frozen=True)
class Comments:
    """The `// gpuasync:` comments of a text.

    `llvm=22` sets the version; `ignore-file[GA501]` silences rules in the file; `ignore[GA501]` at the end
    of a line silences them for that line, on a line of its own for the next one. Without brackets: all
    rules.
    """

    llvm: int | None
    file: tuple[str, ...]
    lines: Mapping[int, tuple[str, ...]]
    """Codes by the zero-based line that they are silent on."""
    starts: tuple[int, ...]

    @property
    def any(self) -> bool:
        """Whether the text has any comment that silences something."""
        return bool(self.file or self.lines)

    def silences(self, finding: Finding) -> bool:
        """Tell whether a comment switches `finding` off."""
        line = bisect_right(self.starts, finding.span.start) - 1
        words = (*self.file, *self.lines.get(line, ()))
        return any(closeness(word, finding.code, finding.name) >= 0 for word in words)


def comments(text: str) -> Comments:
    """Read the `// gpuasync:` comments of `text`. An unknown version is left out."""
    if "gpuasync:" not in text:
        return Comments(None, (), {}, (0,))
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    llvm: int | None = None
    file: list[str] = []
    lines: dict[int, tuple[str, ...]] = {}
    for comment in _COMMENT.finditer(text):
        line = bisect_right(starts, comment.start()) - 1
        own = not text[starts[line] : comment.start()].strip()
        for directive in _DIRECTIVE.finditer(comment[1]):
            kind, codes, version = directive.groups()
            if version is not None:
                llvm = known_version(version) if llvm is None else llvm
                continue
            words = _words(codes)
            if kind == "ignore-file":
                file += words
            else:
                silent = line + 1 if own else line
                lines[silent] = (*lines.get(silent, ()), *words)
    return Comments(llvm, tuple(file), lines, tuple(starts))


def _words(codes: str | None) -> Iterable[str]:
    found = [word.strip() for word in (codes or "").split(",") if word.strip()]
    return found or ["ALL"]
