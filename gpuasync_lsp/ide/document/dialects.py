"""The user's own dialects: installed ones, IRDL files and TableGen dumps.

One process parses with one set of dialects, so files named by any workspace apply to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import NamedTuple

from xdsl.ir import Dialect

from gpuasync_lsp.syntax import (
    ExtensionError,
    OdsDialect,
    dumped_dialects,
    installed_dialects,
    irdl_dialects,
    is_dump,
    use_dialects,
)

MOST_FILES = 32
"""The maximum number of files in one setting."""


class _File(NamedTuple):
    """A loaded file: IRDL dialects or dump tables, or an error."""

    stamp: int
    dialects: Sequence[Dialect] = ()
    tables: Mapping[str, OdsDialect] = MappingProxyType({})
    problem: str | None = None


class UserDialects:
    """Loads dialects when a file first requires them, and reloads a dialect file after it changes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._installed: list[Dialect] | None = None
        self._package_problems: list[str] = []
        self._files: dict[Path, _File] = {}

    @property
    def are_installed(self) -> bool:
        """Whether, at the last call of `require`, an installed Python package defined dialects."""
        return bool(self._installed) or bool(self._package_problems)

    def require(self, paths: Sequence[str], below: Path | None = None) -> list[str]:
        """Register the dialects of the files at `paths`; return error messages.

        For a file that is outside of `below` after following links, the message gives no details of an error:
        a repository may name any of the user's files, and the message must not quote it."""
        with self._lock:
            changed = self._installed is None
            if self._installed is None:
                self._installed, errors = installed_dialects()
                self._package_problems = [str(error) for error in errors]
                changed = bool(self._installed)
            wanted = [Path(name) for name in paths[:MOST_FILES]]
            for path in wanted:
                changed = self._load(path) or changed
            if changed:
                loaded = [dialect for file in self._files.values() for dialect in file.dialects]
                tables = {name: table for file in self._files.values() for name, table in file.tables.items()}
                use_dialects([*self._installed, *loaded], tables)
            problems = [_without_details(self._files[path].problem, path, below) for path in wanted]
            more = len(paths) - len(wanted)
            ignored = [f"'dialects' names {len(paths)} files, of which {more} are not read"] if more else []
            return self._package_problems + [p for p in problems if p is not None] + ignored

    def _load(self, path: Path) -> bool:
        """Read the file if it is new or changed; return whether it was read."""
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            stamp = 0
        known = self._files.get(path)
        if known is not None and known.stamp == stamp:
            return False
        try:
            if is_dump(path):
                self._files[path] = _File(stamp, tables=dumped_dialects(path))
            else:
                self._files[path] = _File(stamp, irdl_dialects(path))
        except ExtensionError as error:
            self._files[path] = _File(stamp, problem=str(error))
        return True


def _without_details(problem: str | None, path: Path, below: Path | None) -> str | None:
    if problem is None or below is None or path.resolve().is_relative_to(below.resolve()):
        return problem
    return f"{path}: no dialects are read from it; details are reported only for files below {below}"


USER_DIALECTS = UserDialects()
"""The dialects of this process."""
