"""Errors in configuration files, shown as diagnostics in these files while an open document uses them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.text.plain_json import Json

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.config_files import ConfigProblem
    from gpuasync_lsp.lsp.protocol import JsonProtocol


_ERROR = 1
"""`DiagnosticSeverity.Error`."""


class ConfigDiagnostics:
    """The problems in configuration files that open documents use.

    They are pushed even to clients that pull diagnostics, since such clients ask only about MLIR documents.
    """

    def __init__(self, protocol: JsonProtocol) -> None:
        self._protocol = protocol
        self._of: dict[str, dict[str, frozenset[tuple[int, str]]]] = {}
        """Maps each document and configuration file to 0-based lines and messages."""

    def take(self, document: str, own: Path | None, problems: Iterable[ConfigProblem]) -> None:
        """Publish the problems in the settings for `document`, except those in the document itself
        (`own`)."""
        new: dict[str, frozenset[tuple[int, str]]] = {}
        for problem in problems:
            if problem.path is not None and problem.path != own and problem.path.is_absolute():
                uri = problem.path.as_uri()
                new[uri] = new.get(uri, frozenset()) | {(max(problem.line - 1, 0), problem.message)}
        old = self._of.pop(document, {})
        if new:
            self._of[document] = new
        for uri in dict.fromkeys((*old, *new)):
            if old.get(uri) != new.get(uri):
                self._publish(uri)

    def closed(self, document: str) -> None:
        """Drop a document, and clear the problems that no other document reports."""
        self.take(document, None, ())

    def _publish(self, uri: str) -> None:
        found = sorted(frozenset[tuple[int, str]]().union(*(each.get(uri, ()) for each in self._of.values())))
        diagnostics: list[Json] = [
            {
                "range": {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}},
                "severity": _ERROR,
                "source": "gpuasync",
                "message": message,
            }
            for line, message in found
        ]
        self._protocol.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": diagnostics})
