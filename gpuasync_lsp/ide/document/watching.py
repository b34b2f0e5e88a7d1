"""Waits for file changes, using the package `watchfiles`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

_NAMES = frozenset({"gpuasync.toml", "pyproject.toml", ".gitignore"})


class NotInstalled(Exception):
    """The package is missing; the message says what to install."""


def changes(paths: Sequence[str]) -> Iterator[None]:
    """Yield at once, and after each change to an MLIR file or a configuration file at or below `paths`.

    Ends with KeyboardInterrupt. Raises NotInstalled.
    """
    try:
        import watchfiles
    except ModuleNotFoundError as error:
        raise NotInstalled("--watch needs the package watchfiles: install gpuasync-lsp[watch]") from error

    def concerns(_: watchfiles.Change, path: str) -> bool:
        return path.endswith(".mlir") or Path(path).name in _NAMES

    yield
    # Watch the folder, not the file: an editor may save by replacing the file.
    roots = {each if each.is_dir() else each.parent for each in map(Path, paths) if each.parent.is_dir()}
    for _ in watchfiles.watch(*roots, watch_filter=concerns):
        yield
