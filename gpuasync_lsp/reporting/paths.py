"""Paths in reports and patches, written with `/`, and relative if the file is below the current folder."""

from __future__ import annotations

import os
from pathlib import Path


def from_here(file: str) -> str:
    """Return `file` with `/`, relative to the current folder if the file is below it.

    Code-scanning services and `git apply` need such paths to find files of a repository.
    """
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        whole = os.path.normpath(path.absolute())
        # A path may contain the folder's name as the shell shows it, or with links resolved.
        for here in (os.environ.get("PWD", ""), os.getcwd()):
            if here and Path(whole).is_relative_to(here):
                return Path(whole).relative_to(here).as_posix()
    return path.as_posix()
