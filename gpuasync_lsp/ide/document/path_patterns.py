"""Path patterns as in .gitignore, and the exclusion of files from searches."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import NamedTuple

from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.files import MOST_OF_SETTINGS, links_outside, read_text

EXCLUDED = frozenset({"__pycache__", "build", "buck-out", "dist", "node_modules", "site-packages", "venv"})
"""Folders that are not searched, besides hidden ones, unless the setting `exclude` replaces them."""

MOST_PATTERNS = 1_000
"""The maximum number of patterns of one file that are used."""
_LONGEST = 1_000
"""The maximum length of a pattern, in characters."""


class _Pattern(NamedTuple):
    """One line of a .gitignore."""

    segments: tuple[re.Pattern[str] | None, ...]
    """The pattern of each path segment; None is `**`, any number of segments."""
    excludes: bool
    """False if the line begins with `!`."""
    of_folders: bool

    def matches(self, parts: Sequence[str]) -> bool:
        """Return whether the whole path matches. Takes time proportional to the product of both lengths."""
        reached = {0}
        for segment in self.segments:
            if segment is None:
                reached = {*range(min(reached), len(parts) + 1)}
            else:
                reached = {at + 1 for at in reached if at < len(parts) and segment.match(parts[at])}
            if not reached:
                return False
        return len(parts) in reached


def _pattern(line: str) -> _Pattern | None:
    """Parse a line of a .gitignore; None for a comment or an empty line."""
    stripped = line.rstrip()
    # A backslash preserves the blank after it.
    line = stripped + line[len(stripped) :][:1] * stripped.endswith("\\")
    excludes = not line.startswith("!")
    words = line.removeprefix("!")
    if not words.strip("/") or line.startswith("#"):
        return None
    of_folders = words.endswith("/")
    parts = [part for part in words.split("/") if part]
    is_anchored = "/" in words.rstrip("/")
    if parts[-1] == "**" and is_anchored:
        parts.append("*")
    segments = [None if part == "**" else re.compile(translate(_as_fnmatch(part))) for part in parts]
    return _Pattern((*(() if is_anchored else (None,)), *segments), excludes, of_folders)


def _as_fnmatch(part: str) -> str:
    plain = re.sub(r"\\(.)", lambda escaped: f"[{escaped[1]}]" if escaped[1] in "*?[" else escaped[1], part)
    return plain.replace("[^", "[!")


@dataclass(frozen=True)
class PathPatterns:
    """Patterns as in .gitignore, relative to `folder`; if several match a path, the last one wins."""

    folder: Path
    patterns: tuple[str, ...]

    @cached_property
    def _compiled(self) -> list[_Pattern]:
        read = (_pattern(line[:_LONGEST]) for line in self.patterns[:MOST_PATTERNS])
        return [pattern for pattern in reversed([*read]) if pattern is not None]

    def matches(self, path: Path, *, is_folder: bool = False) -> bool | None:
        """Return whether the patterns exclude the absolute `path`; None if no pattern matches it."""
        try:
            parts = path.relative_to(self.folder).parts
        except ValueError:
            return None
        for pattern in self._compiled:
            if (is_folder or not pattern.of_folders) and pattern.matches(parts):
                return pattern.excludes
        return None

    def covers(self, file: Path) -> bool:
        """Return whether the patterns exclude a file or one of its parent folders."""
        return bool(self.matches(file)) or any(self.matches(above, is_folder=True) for above in file.parents)


class Excluding:
    """Decides which files and folders a search excludes: by settings, by .gitignore, or because they are
    generated."""

    def __init__(
        self,
        patterns_of: Callable[[Path], tuple[Sequence[PathPatterns] | None, Sequence[PathPatterns]]],
    ) -> None:
        """`patterns_of` returns the settings `exclude` (None if not set) and `extend-exclude` of a folder."""
        self._patterns_of = patterns_of
        self._ignored: dict[Path, PathPatterns | None] = {}
        self._above: dict[Path, tuple[PathPatterns, ...]] = {}

    def search(
        self,
        folder: Path,
        report: Callable[[OSError], None] = lambda _: None,
        step: Callable[[], None] = lambda: None,
        skip: Callable[[Path], None] = lambda _: None,
    ) -> Iterator[Path]:
        """Yield the `.mlir` files below `folder`, sorted by name; errors are passed to `report`.

        `folder` itself is searched regardless of its name, because it was named explicitly. `step` is called
        in each folder, and may raise. Links that lead out of `folder` are passed to `skip` instead."""
        top = Path(os.path.abspath(folder))
        # A pattern that excludes the requested folder would exclude everything in the folder.
        git = () if self._is_ignored(top, self._ignoring(top.parent)) else self._ignoring(top.parent)
        known = {top.parent: git}
        for above, folders, files in os.walk(folder, onerror=report):
            step()
            here = top / Path(above).relative_to(folder)
            known[here] = git = (*known[here.parent], *self._gitignore(here))
            folders[:] = sorted(
                name for name in folders if not self._leaves_out(here / name, git, is_folder=True)
            )
            for name in sorted(files):
                if name.endswith(".mlir") and not self._leaves_out(here / name, git):
                    path = Path(above, name)
                    if links_outside(path, folder):
                        skip(path)
                    else:
                        yield path

    def leaves_out(self, file: Path) -> bool:
        """Return whether a search of the current folder, or of `file`'s folder if that is elsewhere, excludes
        `file`."""
        file, is_folder = Path(os.path.abspath(file)), file.is_dir()
        here = Path.cwd()
        top = here if file.is_relative_to(here) else file.parent
        below = [file, *file.parents]
        below = below[: below.index(top)]
        return any(
            self._leaves_out(path, self._ignoring(path.parent), is_folder=is_folder or path != file)
            for path in below
        )

    def _leaves_out(self, path: Path, git: Iterable[PathPatterns], *, is_folder: bool = False) -> bool:
        exclude, extend = self._patterns_of(path.parent)
        if exclude is None and is_folder and (path.name.startswith(".") or path.name in EXCLUDED):
            return True
        if any(each.matches(path, is_folder=is_folder) for each in (*(exclude or ()), *extend)):
            return True
        return self._is_ignored(path, git, is_folder=is_folder)

    @staticmethod
    def _is_ignored(path: Path, git: Iterable[PathPatterns], *, is_folder: bool = True) -> bool:
        found = [match for each in git if (match := each.matches(path, is_folder=is_folder)) is not None]
        return bool(found) and found[-1]

    def _ignoring(self, folder: Path) -> tuple[PathPatterns, ...]:
        """Return the .gitignore files that apply in `folder`, starting at the root of its repository."""
        if folder not in self._above:
            is_top = folder == folder.parent or (folder / ".git").exists()
            above = () if is_top else self._ignoring(folder.parent)
            self._above[folder] = (*above, *self._gitignore(folder)) if self._is_in_git(folder) else ()
        return self._above[folder]

    @staticmethod
    def _is_in_git(folder: Path) -> bool:
        return any((each / ".git").exists() for each in (folder, *folder.parents))

    def _gitignore(self, folder: Path) -> tuple[PathPatterns, ...]:
        """Return the patterns in the .gitignore and, at a repository's root, the .git/info/exclude of
        `folder`."""
        if folder not in self._ignored:
            lines: list[str] = []
            for name in (".git/info/exclude", ".gitignore"):
                try:
                    lines += read_text(folder / name, MOST_OF_SETTINGS).splitlines()
                except OSError:
                    continue  # Usually absent; like git, ignore an unreadable file.
            self._ignored[folder] = PathPatterns(folder, tuple(lines)) if lines else None
        found = self._ignored[folder]
        return () if found is None else (found,)
