"""The dialects of the user's own that are in use: those of installed packages, and of IRDL files by setting.

One process parses with one set of dialects, so the files that any workspace names are known to all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from xdsl.ir import Dialect

from gpuasync_lsp.syntax import ExtensionError, installed_dialects, irdl_dialects, use_dialects

MOST_FILES = 32
"""IRDL files that one setting may name."""


class UserDialects:
    """Loads dialects when a file first asks for them, and again when their file changed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._installed: list[Dialect] | None = None
        self._package_problems: list[str] = []
        self._files: dict[Path, tuple[int, list[Dialect], str | None]] = {}

    def require(self, paths: Sequence[str]) -> list[str]:
        """Make the dialects of the IRDL files at `paths` known; return what is wrong with them."""
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
                loaded = [dialect for _, found, _ in self._files.values() for dialect in found]
                use_dialects([*self._installed, *loaded])
            problems = [self._files[path][2] for path in wanted]
            more = len(paths) - len(wanted)
            ignored = [f"'dialects' names {len(paths)} files, of which {more} are not read"] if more else []
            return self._package_problems + [p for p in problems if p is not None] + ignored

    def _load(self, path: Path) -> bool:
        """Read the file if it is new or changed; tell whether it was."""
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            stamp = 0
        known = self._files.get(path)
        if known is not None and known[0] == stamp:
            return False
        try:
            self._files[path] = (stamp, irdl_dialects(path), None)
        except ExtensionError as error:
            self._files[path] = (stamp, [], str(error))
        return True


USER_DIALECTS = UserDialects()
"""Those of this process."""
