"""The client's settings: those of the session, and those of each folder of a multi-root workspace."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.options import EditorOptions
    from gpuasync_lsp.ide.document.targets import SettingsResolver

Json = dict[str, Any]

logger = logging.getLogger(__name__)


class Configuration:
    """Settings by the place that they hold for. What is made of them is made when it is first asked for."""

    def __init__(self) -> None:
        self.trusted = True
        """False where the user does not trust the workspace: then settings name no programs."""
        self.generation = 0
        """Counts changes; part of the identity of what was found under these settings."""
        self._base: Json = {}
        self._folders: dict[str, Json] = {}
        self._resolvers: dict[str, SettingsResolver] = {}

    def take(self, settings: Json) -> bool:
        """Take the session's settings, with or without `{"gpuasync": ...}` around; tell if they are new."""
        inner: Any = settings.get("gpuasync", settings)
        if not isinstance(inner, dict):
            logger.warning("settings must be an object, got %r", inner)
            return False
        base = dict(cast("Json", inner))
        trusted = base.pop("trusted", self.trusted)
        if base == self._base and trusted is self.trusted:
            return False
        self._base = base
        self.trusted = trusted is not False
        self.changed()
        return True

    def take_folders(self, folders: dict[str, Json]) -> bool:
        """Take the settings of each folder by its URI; tell if they are new. Only what differs is kept."""
        own = {uri: settings for uri, settings in folders.items() if settings != self._base}
        if own == self._folders:
            return False
        self._folders = own
        self.changed()
        return True

    def changed(self) -> None:
        """Forget what was made of the settings; a configuration file may have changed, too."""
        self._resolvers = {}
        self.generation += 1

    def settings_for(self, uri: str) -> Json:
        """Return the settings that the client has for a document."""
        return self._folders.get(self._folder(uri), self._base)

    def options_for(self, uri: str) -> EditorOptions:
        """Return the settings that are about the editor, not about rules."""
        from gpuasync_lsp.ide.document.options import editor_options

        return editor_options(self.settings_for(uri))

    def resolver_for(self, uri: str) -> SettingsResolver:
        """Return what resolves the settings of a document. It brings xDSL, so this is for workers."""
        folder = self._folder(uri)
        resolver = self._resolvers.get(folder)
        if resolver is None:
            resolver = self._resolvers[folder] = self._resolver(self.settings_for(uri))
        return resolver

    def _folder(self, uri: str) -> str:
        inside = [f for f in self._folders if uri == f or uri.startswith(f.rstrip("/") + "/")]
        return max(inside, key=len, default="")

    def _resolver(self, values: Json) -> SettingsResolver:
        from gpuasync_lsp.ide.document.config_files import user_config
        from gpuasync_lsp.ide.document.options import EDITOR_KEYS
        from gpuasync_lsp.ide.document.settings import from_mapping
        from gpuasync_lsp.ide.document.targets import SettingsResolver

        def report(key: str, message: str) -> None:
            logger.warning("setting gpuasync.%s: %s", key, message)

        rules = {key: value for key, value in values.items() if key not in EDITOR_KEYS}
        # What is wrong in the user's own file comes with every `Resolved`, as a problem with its place.
        return SettingsResolver(from_mapping(rules, report, trusted=self.trusted), user_config())
