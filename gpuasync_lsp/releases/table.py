"""The LLVM releases that this tool supports, one line each, oldest first; add new releases here.

`docs/releases.md` describes how to add a release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Release(NamedTuple):
    """One LLVM release, or the main branch before the next release."""

    version: int
    """The major version."""
    measured_on: str
    """The build on which the release's facts were measured."""
    is_released: bool = True
    has_definitions: bool = False
    """Whether the table of ops is generated from the release's headers or Python bindings."""


RELEASES: tuple[Release, ...] = (
    Release(16, "16.0.6", has_definitions=True),
    Release(17, "main of July 2023"),
    Release(18, "main of December 2023"),
    Release(19, "19.1.7", has_definitions=True),
    Release(20, "main of January 2025"),
    Release(21, "21.1.8", has_definitions=True),
    Release(22, "22.1.8", has_definitions=True),
    Release(23, "23.1.4", has_definitions=True),
    Release(24, "main of September 2026", is_released=False, has_definitions=True),
)
"""All supported releases, oldest first. For LLVM 17, 18 and 20 these are builds of the main branch from the
weeks before the release was branched."""

KNOWN: tuple[int, ...] = tuple(each.version for each in RELEASES)
OLDEST: int = KNOWN[0]
NEWEST: int = KNOWN[-1]
"""The version that `main` refers to: the newest supported one, even if it is not released."""
DEFAULT: int = max(each.version for each in RELEASES if each.is_released)
"""The default version: the newest supported one that is released."""
DEFINED: tuple[int, ...] = tuple(each.version for each in RELEASES if each.has_definitions)
SPAN: str = f"{OLDEST} to {NEWEST}"
"""The range of supported releases in words, for help, messages and pages."""


def neighbors(version: int, known: Sequence[int] = DEFINED) -> tuple[int, int]:
    """Return the versions in `known` nearest to `version`: one at or below it, and one at or above it."""
    inside = min(max(version, known[0]), known[-1])
    return max(each for each in known if each <= inside), min(each for each in known if each >= inside)


def is_after_definitions(version: int) -> bool:
    """Return whether LLVM `version` is newer than all releases that the table of ops covers."""
    return version > DEFINED[-1]


MAIN = "main"
"""An alternative name for the version `NEWEST`."""


def known_version(name: str | int) -> int | None:
    """Return the version that `name`, such as `22`, `22.1.8` or `main`, refers to; None if unsupported."""
    if isinstance(name, int):
        return name if name in KNOWN else None
    major = name.partition(".")[0]
    version = NEWEST if name == MAIN else int(major) if major.isdecimal() and len(major) < 9 else None
    return version if version in KNOWN else None


def described(version: int) -> str:
    """Return a version in words: `22`, or `24 (main of September 2026)` if it is not released."""
    known = next((each for each in RELEASES if each.version == version), None)
    return f"{version} ({known.measured_on})" if known and not known.is_released else str(version)
