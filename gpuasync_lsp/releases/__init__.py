"""What each LLVM release does, as data: the one place in which releases differ.

`table.py` lists the releases, `facts/` what they do, a line each, `data/` the ops, names and options from
their own tools and definitions. Code asks a `Profile` for a fact; nothing else compares versions.
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
