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
    """The release whose facts apply: the profile's own release, or the nearest supported one."""

    def __init__(self, version: int, facts_of: int | None = None, **others: Any) -> None:
        """Create the profile of `version` with the facts of LLVM `facts_of`, except for those in `others`."""
        self.version = version
        self.facts_of = version if facts_of is None else facts_of
        self._others = others
        self.__dict__.update(others)

    def but(self, **others: Any) -> Profile:
        """Return a profile of this release with some facts changed; raises KeyError for unknown facts."""
        if unknown := others.keys() - facts().keys():
            raise KeyError(*unknown)
        return Profile(self.version, self.facts_of, **{**self._others, **others})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self._key() == other._key()

    def __hash__(self) -> int:
        # Hash only the version, since profiles are keys of caches that are looked up for each op.
        return hash(self.version)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._key()

    def _key(self) -> tuple[int, int, dict[str, Any]]:
        return self.version, self.facts_of, self._others

    @property
    def label(self) -> str:
        """The name of the release in findings, such as `LLVM 22`."""
        return f"LLVM {self.version}"

    @property
    def source(self) -> str:
        """How the facts were obtained: measured, or inferred from a different release."""
        return "measured" if self.version == self.facts_of else f"inferred from LLVM {self.facts_of}"

    def memset_lowers(self, bits: int) -> bool:
        """Return whether the runtime has a function for a gpu.memset of a value with `bits` bits."""
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
"""Maps each supported version to its profile."""


def profile(version: int) -> Profile:
    """Return the profile of LLVM `version`; an unsupported one has the facts of the nearest supported one."""
    known = PROFILES.get(version)
    return known or Profile(version, NEWEST if version > NEWEST else OLDEST)
