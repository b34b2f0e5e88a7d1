"""The settings and the LLVM version of a file.

The version comes from the first of: a `// gpuasync: llvm=22` comment in the file; the editor's setting or
`--llvm`; the configuration files of the file's folder and its parents, the nearest first; the user's own
configuration file; the version of the mlir-opt that the user configured; the newest release.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from gpuasync_lsp.analysis import comments
from gpuasync_lsp.ide.document.config_files import ConfigFile, ConfigFiles, ConfigProblem
from gpuasync_lsp.ide.document.path_patterns import Excluding, PathPatterns
from gpuasync_lsp.ide.document.settings import Settings, SettingsError, llvm_version
from gpuasync_lsp.processes import Command, NotAllowed, Origin, run
from gpuasync_lsp.releases import DEFAULT
from gpuasync_lsp.text import LineIndex


@dataclass(frozen=True, slots=True)
class Target:
    """The LLVM version of a file, and the source of this setting."""

    version: int
    origin: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings of one file, and the errors in reading them."""

    settings: Settings
    target: Target
    problems: tuple[ConfigProblem, ...] = ()
    config: Path | None = None
    """The nearest configuration file, if there is one."""
    run_line: tuple[str, ...] | None = None
    """The passes of the first RUN line, if it has gpu-async-region and no setting names passes; else None."""

    @property
    def pipeline(self) -> tuple[str, ...] | None:
        """The passes that lower the file, from the setting or from the RUN line; for rules."""
        return self.run_line if self.settings.pipeline is None else self.settings.pipeline


class SettingsResolver:
    """Resolves settings file by file.

    `override` comes from the editor or the command line, `user` from the user's own configuration file.
    """

    def __init__(self, override: Settings | None = None, user: ConfigFile | None = None) -> None:
        self.override = override or Settings()
        self.user = user
        self._files = ConfigFiles()

    def resolve(self, path: Path | None, text: str) -> Resolved:
        """Return the settings of a file with the contents `text`; `path` is None if it is not on disk."""
        whole = path.absolute() if path is not None else None
        configs = self._configs(whole.parent if whole is not None else None)
        held = [c.settings if whole is None else c.settings.of_file(whole) for c in configs]
        settings = self.override
        for each in held:
            settings = settings.over(each)
        # Imported here because it loads xDSL, which is not needed before the first file is read.
        from gpuasync_lsp.ide.document.dialects import USER_DIALECTS

        problems = [p for config in configs for p in config.problems]
        of = next((c for c, h in zip(configs, held, strict=True) if h.dialects is settings.dialects), None)
        below = of.path.parent if of is not None and of is not self.user else None
        wrong = USER_DIALECTS.require(settings.dialects or (), below)
        if wrong:
            problems += [ConfigProblem(of and of.path, of.dialects_line if of else 1, m) for m in wrong]
        target = comment_target(text, path)
        if isinstance(target, ConfigProblem):
            problems.append(target)
            target = None
        if target is None and self.override.llvm is not None:
            target = Target(self.override.llvm, "setting")
        if target is None and settings.llvm is not None:
            named = next(c for c, h in zip(configs, held, strict=True) if h.llvm is not None)
            target = Target(settings.llvm, str(named.path))
        if target is None and settings.mlir_opt is not None:
            try:
                target = Target(installed_version(settings.mlir_opt), settings.mlir_opt.name)
            except SettingsError as error:
                problems.append(ConfigProblem(None, 0, str(error)))
        nearest = next((config.path for config in configs if config is not self.user), None)
        target = target or Target(DEFAULT, "newest release")
        return Resolved(settings, target, tuple(problems), nearest, _async_run_line(text))

    def excluding(self) -> Excluding:
        """Return the exclusions of a search for files."""

        @cache
        def patterns_of(folder: Path) -> tuple[Sequence[PathPatterns] | None, Sequence[PathPatterns]]:
            settings = self.override
            for config in self._configs(folder):
                settings = settings.over(config.settings)
            return None if settings.exclude is None else [settings.exclude], settings.extend_exclude

        return Excluding(patterns_of)

    def _configs(self, folder: Path | None) -> list[ConfigFile]:
        """Return the configuration files that apply in `folder`, in order of precedence."""
        own = [] if self.user is None else [self.user]
        return own if folder is None else [*self._files.of(folder), *own]


def comment_target(text: str, path: Path | None = None) -> Target | ConfigProblem | None:
    """Return the target set by a `// gpuasync: llvm=22` comment in the file at `path`, if there is one."""
    version = comments(text).version
    if version is None:
        return None
    word, at = version
    return _target(word, path, text.count("\n", 0, at) + 1)


def _target(version: str, path: Path | None, line: int) -> Target | ConfigProblem:
    try:
        return Target(llvm_version(version), f"comment on line {line}")
    except SettingsError as error:
        return ConfigProblem(path, line, str(error))


def installed_version(command: Command) -> int:
    """Return the LLVM major version of an mlir-opt, memoized. Raises SettingsError."""
    answer = _ask(command)
    if isinstance(answer, str):
        raise SettingsError(answer)
    return answer


@lru_cache(maxsize=16)
def _ask(command: Command) -> int | str:
    """Return the version or an error message; memoized so that a hanging program is not run on every edit."""
    try:
        done = run(command.with_arguments("--version"), b"", 10)
    except (NotAllowed, OSError) as error:
        option = "--mlir-opt" if command.origin is Origin.COMMAND_LINE else "`mlir-opt`"
        reason = error.strerror or error if isinstance(error, OSError) else error
        return f"{option}: cannot run {command.name!r}: {reason}"
    found = re.search(r"LLVM version (\d+)", done.stdout.decode("utf-8", "replace"))
    return int(found[1]) if found else f"{command.name!r} --version does not name an LLVM version"


_MAKE_ASYNC = ("gpu-async-region", "gpu-lower-to-xevm-pipeline")


def _async_run_line(text: str) -> tuple[str, ...] | None:
    """Return the passes of the first RUN line of `text` if they make ops async and no errors are expected."""
    if "RUN:" not in text or not any(name in text for name in _MAKE_ASYNC):
        return None
    # Imported lazily because it loads modules that few files need.
    from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline

    found = run_line_pipeline(LineIndex(text))
    if found is None or found.pipeline is None or found.expects_errors:
        return None
    steps = tuple(map(str, found.pipeline.steps))
    return steps if any("gpu-async-region" in step for step in steps) else None
