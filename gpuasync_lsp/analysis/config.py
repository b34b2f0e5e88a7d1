"""User settings of a check: the release, the enabled rules, and their severities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gpuasync_lsp.releases import DEFAULT, Profile, profile
from gpuasync_lsp.text import Severity
from gpuasync_lsp.text.cached_property import cached_property

Level = Severity | Literal["off"]


_DIGITS = str.maketrans("OIL", "011")


def code_meant(word: str) -> str:
    """Return a code with look-alike letters replaced by digits: `GA101` for `GA1O1`."""
    return word.upper().translate(_DIGITS)


@dataclass(frozen=True)
class Config:
    """Settings of a check. A rule is specified by its code, a prefix of codes (`GA1`), its name, or `ALL`."""

    llvm: int = DEFAULT
    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Level] = field(default_factory=dict[str, Level])
    pipeline: tuple[str, ...] | None = None
    """Passes that the user runs before gpu-to-llvm, as mlir-opt spells them.

    None means the usual pipeline, which converts scf to cf first."""

    @cached_property
    def profile(self) -> Profile:
        """The profile of the target release."""
        return profile(self.llvm)

    @cached_property
    def key(self) -> object:
        """A hashable value that is equal for configs with equal effects."""
        return (self.llvm, self.select, self.ignore, tuple(sorted(self.severity.items())), self.pipeline)

    def level(self, code: str, name: str, default: Severity, *, only_named: bool = False) -> Severity | None:
        """Return the severity of a rule, or None if it is disabled.

        With `only_named`, the rule is disabled unless the settings contain its code or name.
        """
        if code not in self._levels:
            self._levels[code] = self._level(code, name, default, only_named=only_named)
        return self._levels[code]

    @cached_property
    def _levels(self) -> dict[str, Severity | None]:
        """Severities by rule code, memoized because each item needs all of them."""
        return {}

    def names(self, code: str, name: str) -> bool:
        """Return whether the settings contain the code or the name of a rule."""
        return any(closeness(word, code, name) >= len(code) for word in (*self.select, *self.severity))

    def _level(self, code: str, name: str, default: Severity, *, only_named: bool) -> Severity | None:
        chosen = max((closeness(w, code, name) for w in self.select), default=-1)
        dropped = max((closeness(w, code, name) for w in self.ignore), default=-1)
        if chosen < 0 or dropped >= chosen:
            return None
        level: Level = default
        nearest = -1
        for word, wanted in self.severity.items():
            spelt = closeness(word, code, name)
            if spelt > nearest:
                level, nearest = wanted, spelt
        if only_named and not self.names(code, name):
            return None
        return None if level == "off" else level


def closeness(word: str, code: str, name: str) -> int:
    """Return how many characters of the rule's code `word` matches; -1 for no match.

    The rule's name counts as a match of all characters."""
    if word == name:
        return len(code)
    if word.upper() == "ALL":
        return 0
    return len(word) if word and code.startswith(word.upper()) else -1
