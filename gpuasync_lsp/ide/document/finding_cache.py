"""The cache of `gpuasync-lsp check`: findings of files, in the user's cache folder.

The key is computed from the text, the relevant settings, and the package's version. So findings are reused
for a file that moves or is restored, but findings of other versions of this package are not. Entries that
cannot be read are recomputed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import gpuasync_lsp
from gpuasync_lsp.text import Edit, Finding, Fix, Related, Safety, Severity, Span

MOST_BYTES = 64 * 2**20
"""The maximum size of the cached findings; the least recently used ones are evicted first."""
_DAY = 86_400

_TABLE = "CREATE TABLE IF NOT EXISTS found (key BLOB PRIMARY KEY, used INTEGER, findings TEXT)"


class Cache:
    """Findings by key. Without a cache file, nothing is cached."""

    def __init__(self, is_on: bool) -> None:
        import sqlite3

        self._known: sqlite3.Connection | None = None
        self._error = sqlite3.Error
        self._new: list[tuple[bytes, int, str]] = []
        self._used: list[tuple[int, bytes]] = []
        if is_on:
            path = cache_folder() / "check.sqlite"
            try:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                # Another run may be writing; recompute the findings if that takes too long.
                self._known = sqlite3.connect(path, timeout=1.0)
                self._known.execute(_TABLE)
            except (OSError, sqlite3.Error):
                # No folder, no space, or an invalid file; the next run creates a new file.
                self._drop(path)

    def _drop(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            return  # In a read-only folder there is no cache.

    def get(self, key: bytes) -> tuple[list[Finding], Origins] | None:
        """Return the cached findings and their origins; None if there are none."""
        if self._known is None:
            return None
        try:
            row = self._known.execute("SELECT used, findings FROM found WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            if (now := int(time.time())) - row[0] > _DAY:
                self._used.append((now, key))
            return _read(row[1])
        except (self._error, ValueError, TypeError, KeyError):
            return None  # A broken entry is recomputed and rewritten.

    def put(self, key: bytes, findings: Iterable[Finding], origins: Origins) -> None:
        """Store findings; `__exit__` writes them to disk."""
        if self._known is not None:
            self._new.append((key, int(time.time()), _written(findings, origins)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Write new findings, even after an interruption, and evict the least recently used ones."""
        if self._known is None:
            return
        try:
            with self._known:
                self._known.executemany("UPDATE found SET used = ? WHERE key = ?", self._used)
                self._known.executemany("INSERT OR REPLACE INTO found VALUES (?, ?, ?)", self._new)
                if self._new:
                    self._forget()
        except self._error:
            return  # Another run has locked the file, or the disk is full.
        finally:
            self._known.close()

    def _forget(self) -> None:
        assert self._known is not None
        total = "sum(length(findings) + 64) OVER (ORDER BY used DESC, key)"
        older = f"SELECT key FROM (SELECT key, {total} AS total FROM found) WHERE total > ?"
        self._known.execute(f"DELETE FROM found WHERE key IN ({older})", (MOST_BYTES,))


def cache_folder() -> Path:
    """Return this package's folder in the user's cache folder, following the system's conventions."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpuasync-lsp"


def package_stamp() -> str:
    """Return a string that differs between versions and between source checkouts of this package."""
    from importlib.metadata import version

    files: list[str] = []
    folders = [Path(gpuasync_lsp.__file__).parent]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(Path(entry.path))
                elif entry.name.endswith((".py", ".zip", ".json")):
                    status = entry.stat()
                    files.append(f"{entry.path} {status.st_mtime_ns} {status.st_size}")
    return f"{gpuasync_lsp.__version__} {version('xdsl')} {sha256(repr(sorted(files)).encode()).hexdigest()}"


def key_of(*parts: object) -> bytes:
    """Return the cache key of findings from everything that they depend on."""
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()


Origins = Mapping[Finding, Sequence[tuple[str, int, int]]]
"""Maps each finding to the source locations in the `loc(...)` of its op."""


def _written(findings: Iterable[Finding], origins: Origins) -> str:
    return json.dumps(
        [
            [
                *(f.code, f.name, int(f.severity), f.span, f.message),
                [[r.span, r.message] for r in f.related],
                [[x.title, x.safety.value, [[e.span, e.text] for e in x.edits], x.reason] for x in f.fixes],
                f.tags,
                origins.get(f, ()),
            ]
            for f in findings
        ],
        separators=(",", ":"),
    )


def _read(text: str) -> tuple[list[Finding], Origins]:
    rows: list[list[Any]] = json.loads(text)
    found = [
        Finding(
            code,
            name,
            Severity(severity),
            Span(*span),
            message,
            tuple(Related(Span(*place), message) for place, message in related),
            tuple(
                Fix(title, Safety(safety), tuple(Edit(Span(*place), new) for place, new in edits), reason)
                for title, safety, edits, reason in fixes
            ),
            tuple(tags),
        )
        for code, name, severity, span, message, related, fixes, tags, _ in rows
    ]
    origins = {
        f: [(file, line, column) for file, line, column in row[-1]]
        for f, row in zip(found, rows, strict=True)
        if row[-1]
    }
    return found, origins
