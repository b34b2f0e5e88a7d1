"""The differences between LLVM releases, as data; no other package compares versions.

`table.py` lists the releases. `facts/` describes their behavior, one line per fact. `data/` contains their
ops, names and options, extracted from their tools and definitions. Code reads facts from a `Profile`.
"""

from gpuasync_lsp.releases.fact import Fact, Releases, is_in
from gpuasync_lsp.releases.profile import PROFILES, Profile, facts, profile
from gpuasync_lsp.releases.table import (
    DEFAULT,
    DEFINED,
    NEWEST,
    OLDEST,
    RELEASES,
    SPAN,
    described,
    known_version,
)

__all__ = [
    "DEFAULT",
    "DEFINED",
    "NEWEST",
    "OLDEST",
    "PROFILES",
    "RELEASES",
    "SPAN",
    "Fact",
    "Profile",
    "Releases",
    "described",
    "facts",
    "is_in",
    "known_version",
    "profile",
]
