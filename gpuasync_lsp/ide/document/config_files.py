"""Configuration files: `gpuasync.toml`, `[tool.gpuasync-lsp]` in pyproject.toml, and the user's own file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from gpuasync_lsp.ide.document.settings import Settings, from_mapping
from gpuasync_lsp.processes import Origin, may_ask_for
from gpuasync_lsp.text.files import MOST_OF_SETTINGS, read_text
from gpuasync_lsp.text.plain_json import is_object

MOST_PROBLEMS = 20
"""The maximum number of mistakes of one file that are reported."""
MOST_EXTENDED = 16
"""The maximum length of a chain of files that extend each other."""
MOST_DOTS = 256
"""The maximum number of dots in a line. tomllib stores every prefix of a key; 64,000 parts take 16 GB."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A mistake in a configuration file, in a file's own comment, or in other settings (`path` is None)."""

    path: Path | None
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" if self.path else self.message


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The contents of a configuration file, and the mistakes in it."""

    path: Path
    settings: Settings = field(default_factory=Settings)
    problems: tuple[ConfigProblem, ...] = ()
    dialects_line: int = 1
    """The line of the setting `dialects`; errors in the files that it names are reported there."""
    extend_line: int = 1
    """The line of the setting `extend`."""


class ConfigFiles:
    """Finds and reads the configuration files of a workspace; only changed files are read again."""

    def __init__(self) -> None:
        self._read_files: dict[Path, tuple[tuple[int, int], ConfigFile | None]] = {}

    def of(self, folder: Path) -> list[ConfigFile]:
        """Return the configuration files that apply in `folder`, in order of precedence.

        These are the file in `folder` and those in its parent folders, each followed by the file that
        it extends."""
        found: list[ConfigFile] = []
        for above in (folder, *folder.parents):
            for name, read in _READERS.items():
                config = self._read(above / name, read)
                if config is not None:
                    found.append(config)
                    self._extend(config, found)
                    break
        return found

    def _extend(self, config: ConfigFile, found: list[ConfigFile]) -> None:
        """Add the files that `config` extends, transitively."""
        first = config
        for _ in range(MOST_EXTENDED):
            path = config.settings.extend
            if path is None or any(_is_same(path, each.path) for each in found):
                return
            read = _pyproject_toml if path.name == "pyproject.toml" else _gpuasync_toml
            extended = self._read(path, read)
            if extended is None:
                why = f"'extend': there is no configuration at {path}"
            elif extended.problems and not path.resolve().is_relative_to(first.path.parent.resolve()):
                # A repository may extend any file of the user's: do not quote its contents.
                why = (
                    f"'extend': {path} has mistakes; they are shown only for files below {first.path.parent}"
                )
                extended = replace(extended, problems=())
            else:
                why = ""
            if why:
                problem = ConfigProblem(config.path, config.extend_line, why)
                found[-1] = replace(config, problems=(*config.problems, problem))
            if extended is None:
                return
            found.append(extended)
            config = extended

    def _read(self, path: Path, read: _Reader) -> ConfigFile | None:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._read_files.get(path)
            if known is None or known[0] != stamp:
                known = self._read_files[path] = (stamp, _read(path, read))
            return known[1]
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return _unreadable(path, error)


def _is_same(one: Path, other: Path) -> bool:
    return os.path.normpath(one) == os.path.normpath(other)


def user_config_path() -> Path | None:
    """Return the path of the user's own configuration file; None if no home folder is known.

    A relative path in an environment variable is ignored: it would resolve to a file of the workspace, which
    unlike the user's file must not specify programs to run."""
    if sys.platform == "win32":
        named, below = "APPDATA", ("AppData", "Roaming")
    else:
        named, below = "XDG_CONFIG_HOME", (".config",)
    base = Path(os.environ.get(named) or "")
    if not base.is_absolute():  # The XDG Base Directory Specification ignores relative paths.
        base = Path.home().joinpath(*below)
    if not base.is_absolute():
        return None
    return base / "gpuasync-lsp" / "config.toml"


def user_config() -> ConfigFile:
    """Return the user's own configuration file, empty if absent. It is allowed to specify programs to run."""
    path = user_config_path()
    if path is None:
        return ConfigFile(Path(os.devnull))
    try:
        return _read(path, partial(_parse, origin=Origin.USER_FILE)) or ConfigFile(path)
    except (FileNotFoundError, NotADirectoryError):
        return ConfigFile(path)


_Reader = Callable[[Path, str], ConfigFile | None]


def _read(path: Path, read: _Reader) -> ConfigFile | None:
    """Return the result of `read` for the text at `path`. Raises FileNotFoundError and NotADirectoryError."""
    try:
        return read(path, read_text(path, MOST_OF_SETTINGS))
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        return _unreadable(path, error)


def _gpuasync_toml(path: Path, text: str) -> ConfigFile | None:
    return _parse(path, text, Origin.WORKSPACE_FILE)


def _pyproject_toml(path: Path, text: str) -> ConfigFile | None:
    # Most pyproject.toml files do not configure this tool; other tools report their mistakes.
    if "gpuasync-lsp" not in text:
        return None
    return _parse(path, text, Origin.WORKSPACE_FILE, table=("tool", "gpuasync-lsp"))


_READERS: dict[str, _Reader] = {"gpuasync.toml": _gpuasync_toml, "pyproject.toml": _pyproject_toml}
"""Maps file names to their readers; if a folder has several such files, the first takes precedence."""


def _unreadable(path: Path, error: OSError) -> ConfigFile:
    return ConfigFile(path, problems=(ConfigProblem(path, 1, f"cannot be read: {error.strerror or error}"),))


def _parse(path: Path, text: str, origin: Origin, table: tuple[str, ...] = ()) -> ConfigFile | None:
    """Return the settings in `table` of a TOML text; None if it has no such table."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            why = f"more than {MOST_DOTS} dots in a line"
            return ConfigFile(path, problems=(ConfigProblem(path, number, f"cannot be read: {why}"),))
    import tomllib  # Imported lazily: most runs read no such file.

    try:
        values: object = tomllib.loads(text)
    except RecursionError:
        return ConfigFile(path, problems=(ConfigProblem(path, 1, "cannot be read: it is nested too deeply"),))
    except ValueError as error:  # TOMLDecodeError, or the error of `int` for too many digits.
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        return ConfigFile(path, problems=(ConfigProblem(path, line, f"not valid TOML: {error}"),))
    for name in table:
        values = values.get(name) if is_object(values) else None
    if not is_object(values):
        return None
    problems: list[ConfigProblem] = []

    def report(key: str, message: str) -> None:
        if len(problems) < MOST_PROBLEMS:  # Finding the line takes time linear in the text.
            problems.append(ConfigProblem(path, _line_of(text, key, table), message))

    # The user's own file belongs to no folder: its patterns apply everywhere.
    folder = Path(path.anchor) if origin is Origin.USER_FILE else path.parent
    settings = from_mapping(values, report, origin, folder)
    if settings.dialects is not None:
        # A path in a file is relative to that file.
        for name in settings.dialects if origin is not Origin.USER_FILE else ():
            if not may_ask_for(name):
                report("dialects", f"'dialects' names {name!r}, which is not searched for in this workspace")
        known = (n for n in settings.dialects if origin is Origin.USER_FILE or may_ask_for(n))
        settings = replace(settings, dialects=tuple(str(path.parent / name) for name in known))
    dialects, extend = (_line_of(text, key, table) for key in ("dialects", "extend"))
    return ConfigFile(path, settings, tuple(problems), dialects, extend)


def _line_of(text: str, key: str, table: tuple[str, ...]) -> int:
    """Return the 1-based number of the line that sets `key` in `[table]`; tomllib records no positions."""
    inside = not table
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        is_header = line.startswith("[")
        head = line.strip("[").partition("]")[0] if is_header else line.partition("=")[0]
        words = [word.strip().strip("\"'") for word in head.split(".")]
        inside = inside or (is_header and tuple(words[: len(table)]) == table)
        if inside and (is_header or "=" in line) and key in words:
            return number
    return 1
