"""The LLVM releases that this tool knows: one line each, oldest first. A new one is a line here.

`docs/releases.md` says how a release is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Release(NamedTuple):
    """One LLVM release, or the main branch before the next."""

    version: int
    """The major version."""
    measured_on: str
    """The build that its facts were measured on."""
    is_released: bool = True
    has_definitions: bool = False
    """Whether the table of ops is made from its own headers, or from its Python bindings."""


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
"""17, 18 and 20 are builds of the main branch from the weeks before these releases were branched."""

KNOWN: tuple[int, ...] = tuple(each.version for each in RELEASES)
OLDEST: int = KNOWN[0]
NEWEST: int = KNOWN[-1]
"""What `main` names: the newest version of all, released or not."""
DEFAULT: int = max(each.version for each in RELEASES if each.is_released)
"""The version that is assumed by default: the newest that is released."""
DEFINED: tuple[int, ...] = tuple(each.version for each in RELEASES if each.has_definitions)
SPAN: str = f"{OLDEST} to {NEWEST}"
"""The releases in words, as help, messages and pages write them."""


def neighbors(version: int, known: Sequence[int] = DEFINED) -> tuple[int, int]:
    """Return the nearest of the `known` versions at or below, and at or above, `version`."""
    inside = min(max(version, known[0]), known[-1])
    return max(each for each in known if each <= inside), min(each for each in known if each >= inside)


def is_after_definitions(version: int) -> bool:
    """Return whether the table of ops ends before LLVM `version`."""
    return version > DEFINED[-1]


MAIN = "main"
"""Another name of `NEWEST`."""


def known_version(name: str | int) -> int | None:
    """Return the version that `22`, `22.1.8` or `main` names, None for one that is not known."""
    if isinstance(name, int):
        return name if name in KNOWN else None
    major = name.partition(".")[0]
    version = NEWEST if name == MAIN else int(major) if major.isdecimal() and len(major) < 9 else None
    return version if version in KNOWN else None


def described(version: int) -> str:
    """Return what people call a version: `22`, or `24 (main of September 2026)` for an unreleased one."""
    known = next((each for each in RELEASES if each.version == version), None)
    return f"{version} ({known.measured_on})" if known and not known.is_released else str(version)
