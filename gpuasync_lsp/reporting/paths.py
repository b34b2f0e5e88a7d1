"""Paths in reports and patches: with `/`, and relative if below the current folder."""

from __future__ import annotations

import os
from pathlib import Path


def from_here(file: str) -> str:
    """Return `file` with `/`, relative to the current folder if it is below that.

    Code-scanning services and `git apply` match files of a repository by such paths only.
    """
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        whole = os.path.normpath(path.absolute())
        # Both the shell's name of the folder and the resolved one may occur in a path.
        for here in (os.environ.get("PWD", ""), os.getcwd()):
            if here and Path(whole).is_relative_to(here):
                return Path(whole).relative_to(here).as_posix()
    return path.as_posix()
