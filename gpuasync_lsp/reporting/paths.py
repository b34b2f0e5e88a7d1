"""Paths as reports and patches write them: with `/`, and relative where they are below the current folder."""

from __future__ import annotations

import os
from pathlib import Path


def from_here(file: str) -> str:
    """Return `file` relative to the current folder where it is below that, else as it is, with `/`.

    Code-scanning services and `git apply` know the files of a repository by such paths alone.
    """
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        whole = os.path.normpath(path.absolute())
        # The folder as the shell names it, and as it is without links: either may be in a path.
        for here in (os.environ.get("PWD", ""), os.getcwd()):
            if here and Path(whole).is_relative_to(here):
                return Path(whole).relative_to(here).as_posix()
    return path.as_posix()
