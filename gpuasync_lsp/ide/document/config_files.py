"""Configuration files: `gpuasync.toml`, `[tool.gpuasync-lsp]` in pyproject.toml, and the user's own file."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from gpuasync_lsp.ide.document.settings import Settings, from_mapping
from gpuasync_lsp.processes import Origin


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A mistake in a configuration file, or in a file's own comment; `line` counts from 1."""

    path: Path | None
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path or 'settings'}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """What a configuration file says, and the mistakes in it."""

    path: Path
    settings: Settings = field(default_factory=Settings)
    problems: tuple[ConfigProblem, ...] = ()


class ConfigFiles:
    """Finds and reads the configuration files of a workspace; a file is read again only when it changed."""

    def __init__(self) -> None:
        self._read_files: dict[Path, tuple[tuple[int, int], ConfigFile | None]] = {}

    def nearest(self, folder: Path) -> ConfigFile | None:
        """Return the configuration of `folder`, or of the nearest folder above that has one."""
        for above in (folder, *folder.parents):
            for name, read in _READERS.items():
                config = self._read(above / name, read)
                if config is not None:
                    return config
        return None

    def _read(self, path: Path, read: _Reader) -> ConfigFile | None:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._read_files.get(path)
            if known is None or known[0] != stamp:
                known = self._read_files[path] = (stamp, read(path, path.read_text("utf-8-sig")))
            return known[1]
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as error:
            return _unreadable(path, error)


def user_config_path() -> Path:
    """Return where the user's own configuration file is looked for."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "gpuasync-lsp" / "config.toml"


def user_config() -> ConfigFile:
    """Return what the user's own configuration file says; it may be absent, and it may name programs."""
    path = user_config_path()
    try:
        return _parse(path, path.read_text("utf-8-sig"), Origin.USER_FILE) or ConfigFile(path)
    except (FileNotFoundError, NotADirectoryError):
        return ConfigFile(path)
    except (OSError, UnicodeDecodeError) as error:
        return _unreadable(path, error)


_Reader = Callable[[Path, str], ConfigFile | None]


def _gpuasync_toml(path: Path, text: str) -> ConfigFile | None:
    return _parse(path, text, Origin.WORKSPACE_FILE)


def _pyproject_toml(path: Path, text: str) -> ConfigFile | None:
    # Most pyproject.toml files are not about us: their mistakes are for other tools to report.
    if "gpuasync-lsp" not in text:
        return None
    return _parse(path, text, Origin.WORKSPACE_FILE, table=("tool", "gpuasync-lsp"))


_READERS: dict[str, _Reader] = {"gpuasync.toml": _gpuasync_toml, "pyproject.toml": _pyproject_toml}
"""How each file is read; in one folder the first wins."""


def _unreadable(path: Path, error: Exception) -> ConfigFile:
    return ConfigFile(path, problems=(ConfigProblem(path, 1, f"cannot be read: {error}"),))


def _parse(path: Path, text: str, origin: Origin, table: tuple[str, ...] = ()) -> ConfigFile | None:
    """Return what `table` of a TOML text says; None if it has no such table."""
    try:
        values: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        return ConfigFile(path, problems=(ConfigProblem(path, line, f"not valid TOML: {error}"),))
    for name in table:
        values = cast("Mapping[str, object]", values).get(name) if isinstance(values, dict) else None
    if not isinstance(values, dict):
        return None
    problems: list[ConfigProblem] = []

    def report(key: str, message: str) -> None:
        problems.append(ConfigProblem(path, _line_of(text, key, table), message))

    settings = from_mapping(cast("Mapping[str, object]", values), report, origin)
    if settings.dialects is not None:
        # A path in a file is relative to that file.
        settings = replace(settings, dialects=tuple(str(path.parent / name) for name in settings.dialects))
    return ConfigFile(path, settings, tuple(problems))


def _line_of(text: str, key: str, table: tuple[str, ...]) -> int:
    """Return the line, from 1, where `key` is set below the header of `table`: tomllib keeps no places."""
    header = re.compile(rf"\s*\[\s*{re.escape('.'.join(table))}\b") if table else None
    pattern = re.compile(rf"""\s*(\[\s*)?([\w"'.-]+\.)?["']?{re.escape(key)}["']?\s*[=.\]]""")
    inside = header is None
    for number, line in enumerate(text.split("\n"), 1):
        inside = inside or (header is not None and header.match(line) is not None)
        if inside and pattern.match(line):
            return number
    return 1
