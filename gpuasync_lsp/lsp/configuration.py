"""The client's settings, for the session and for each folder of a multi-root workspace."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuasync_lsp.lsp.logs import SHOWN
from gpuasync_lsp.text.plain_json import Json, is_object

if TYPE_CHECKING:
    from gpuasync_lsp.exec import WorkerCommand
    from gpuasync_lsp.ide.document.options import EditorOptions
    from gpuasync_lsp.ide.document.targets import SettingsResolver


logger = logging.getLogger(__name__)

_UNSET: tuple[object, ...] = (None, "", [], {})


class Configuration:
    """Settings by scope; objects derived from them are created on first use."""

    def __init__(self) -> None:
        self.trusted = True
        """False if the user does not trust the workspace, in which case no program is started."""
        self.generation = 0
        """Incremented at each change; a part of the keys of results that depend on settings."""
        self._shown: set[str] = set()
        """The messages about invalid settings that the user has seen."""
        self._mlir_opt: object = None
        self._run_command: object = None
        self._base: Json = {}
        self._folders: dict[str, Json] = {}
        self._resolvers: dict[str, SettingsResolver] = {}

    def begin(self, options: Json) -> None:
        """Read `initializationOptions`: `trusted`, and settings at the top level or below the key `gpuasync`.

        Only these options can set `trusted` and specify programs: later settings may come from files of the
        workspace. A `gpuasync` key next to other settings is ignored, since it may come from such a file.
        """
        inner: object = options
        if "gpuasync" in options and options.keys() <= {"gpuasync", "trusted"}:
            inner = options["gpuasync"]
        if not is_object(inner):
            logger.warning("settings must be an object, got %r", inner)
            inner = {}
        settings = inner
        self.trusted = all(each.get("trusted", True) is True for each in (options, settings))
        self._mlir_opt = settings.get("mlirOpt") or None
        run = settings.get("run")
        self._run_command = run.get("command") if is_object(run) else None
        self._base = _without_programs(settings)
        self.changed()

    def take(self, settings: Json) -> bool:
        """Read settings sent after `initialize`, with or without `{"gpuasync": ...}` around them.

        Returns whether the settings changed. `trusted` and programs are ignored."""
        inner = settings.get("gpuasync", settings)
        if not is_object(inner):
            logger.warning("settings must be an object, got %r", inner)
            return False
        named = inner.get("mlirOpt")
        if named and named != self._mlir_opt:
            logger.warning(
                "setting gpuasync.mlirOpt: a program can be specified in initializationOptions only"
            )
        base = _without_programs(inner)
        if base == self._base:
            return False
        self._base = base
        self._shown.clear()
        self.changed()
        return True

    def take_folders(self, folders: dict[str, Json]) -> bool:
        """Read the settings of each folder, given by URI; return whether they changed.

        Only differences from the session's settings are kept."""
        plain = {uri: _without_programs(settings) for uri, settings in folders.items()}
        own = {uri: settings for uri, settings in plain.items() if settings != self._base}
        if own == self._folders:
            return False
        self._folders = own
        self._shown.clear()
        self.changed()
        return True

    def changed(self) -> None:
        """Drop objects derived from the settings. Must also be called when a configuration file changes."""
        self._resolvers = {}
        self.generation += 1

    def settings_for(self, uri: str) -> Json:
        """Return the client's settings for a document."""
        return self._folders.get(self._folder(uri), self._base)

    def options_for(self, uri: str) -> EditorOptions:
        """Return the settings of editor features, as opposed to rules."""
        from gpuasync_lsp.ide.document.options import editor_options

        return editor_options(self.settings_for(uri))

    def resolver_for(self, uri: str) -> SettingsResolver:
        """Return the resolver of a document's settings. Imports xDSL, so it must be called on workers."""
        folder = self._folder(uri)
        resolver = self._resolvers.get(folder)
        if resolver is None:
            resolver = self._resolvers[folder] = self._resolver(self.settings_for(uri))
        return resolver

    def worker(self) -> WorkerCommand:
        """Return the command that starts runs. Raises ValueError for an invalid `run.command`."""
        import shlex

        from gpuasync_lsp.exec import WorkerCommand
        from gpuasync_lsp.ide.document.settings import command
        from gpuasync_lsp.processes import Origin

        named = self._run_command
        if not named:
            return WorkerCommand()
        words: object = shlex.split(named) if isinstance(named, str) else named
        return WorkerCommand(command("run.command", words, Origin.CLIENT_START))

    def _folder(self, uri: str) -> str:
        inside = [f for f in self._folders if uri == f or uri.startswith(f.rstrip("/") + "/")]
        return max(inside, key=len, default="")

    def _resolver(self, values: Json) -> SettingsResolver:
        from gpuasync_lsp.ide.document.config_files import user_config
        from gpuasync_lsp.ide.document.options import EDITOR_KEYS
        from gpuasync_lsp.ide.document.settings import SettingsError, command, from_mapping
        from gpuasync_lsp.ide.document.targets import SettingsResolver
        from gpuasync_lsp.processes import Origin

        def report(key: str, message: str) -> None:
            name = key if key in (*values, "mlirOpt") else f"severity.{key}"
            said = f"Setting gpuasync.{name}: {message}"
            if said not in self._shown:
                self._shown.add(said)
                logger.warning("%s", said, extra=SHOWN)

        # Editors whose settings have types send an empty value for a setting that is not set.
        rules = {
            key: value for key, value in values.items() if key not in EDITOR_KEYS and value not in _UNSET
        }
        # Each `Resolved` reports the problems in the user's own configuration file, at their lines.
        settings = from_mapping(rules, report, Origin.CLIENT_SETTINGS)
        if self._mlir_opt is not None:
            try:
                named = command("mlirOpt", self._mlir_opt, Origin.CLIENT_START)
                settings = replace(settings, mlir_opt=named)
            except SettingsError as error:
                report("mlirOpt", str(error))
        return SettingsResolver(settings, user_config())


def _without_programs(settings: Json) -> Json:
    """Return `settings` without those that only `initializationOptions` may set."""
    kept = {key: value for key, value in settings.items() if key not in ("trusted", "mlirOpt")}
    run = kept.get("run")
    if is_object(run):
        kept["run"] = {key: value for key, value in run.items() if key != "command"}
    return kept
