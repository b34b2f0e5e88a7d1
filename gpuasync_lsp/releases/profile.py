"""The facts of one LLVM release, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from gpuasync_lsp.releases.fact import Fact
from gpuasync_lsp.releases.facts.gpu_to_llvm import GpuToLlvm
from gpuasync_lsp.releases.facts.kernels import Kernels
from gpuasync_lsp.releases.facts.passes import Passes
from gpuasync_lsp.releases.facts.rewrites import Rewrites
from gpuasync_lsp.releases.facts.syntax import Syntax
from gpuasync_lsp.releases.facts.vectors import Vectors
from gpuasync_lsp.releases.table import NEWEST, OLDEST, RELEASES


class Profile(GpuToLlvm, Kernels, Passes, Rewrites, Syntax, Vectors):
    """One release: `profile.NAME` is the value of the fact `NAME`."""

    version: int
    """The LLVM major version."""

    facts_of: int
    """The release whose facts are used: its own, or the nearest known."""

    def __init__(self, version: int, facts_of: int | None = None, **others: Any) -> None:
        """Take the facts of `facts_of`, by default those of `version`, with `others` in place of some."""
        self.version = version
        self.facts_of = version if facts_of is None else facts_of
        self._others = others
        self.__dict__.update(others)

    def but(self, **others: Any) -> Profile:
        """Return the same release with other values of some facts. Raises KeyError for an unknown fact."""
        if unknown := others.keys() - facts().keys():
            raise KeyError(*unknown)
        return Profile(self.version, self.facts_of, **{**self._others, **others})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self._key() == other._key()

    def __hash__(self) -> int:
        # Hash only the version: profiles are keys of memos for each op.
        return hash(self.version)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._key()

    def _key(self) -> tuple[int, int, dict[str, Any]]:
        return self.version, self.facts_of, self._others

    @property
    def label(self) -> str:
        """`LLVM 22`, the name of the release in findings."""
        return f"LLVM {self.version}"

    @property
    def source(self) -> str:
        """The source of the facts, as text: measured, or taken from a neighbor."""
        return "measured" if self.version == self.facts_of else f"inferred from LLVM {self.facts_of}"

    def memset_lowers(self, bits: int) -> bool:
        """Return whether a gpu.memset of a value of `bits` bits has a runtime call."""
        return bits in self.memset_widths


@cache
def facts() -> dict[str, Fact[Any]]:
    """Return all facts by name."""
    groups: list[Mapping[str, object]] = [vars(each) for each in reversed(Profile.__mro__)]
    return {
        name: cast("Fact[Any]", each)
        for group in groups
        for name, each in group.items()
        if isinstance(each, Fact)
    }


def _restored(version: int, facts_of: int, others: dict[str, Any]) -> Profile:
    return Profile(version, facts_of, **others)


PROFILES: dict[int, Profile] = {each.version: Profile(each.version) for each in RELEASES}
"""The facts of every release that this tool knows."""


def profile(version: int) -> Profile:
    """Return the facts of LLVM `version`; a version newer or older than all known takes the nearest facts."""
    known = PROFILES.get(version)
    return known or Profile(version, NEWEST if version > NEWEST else OLDEST)
