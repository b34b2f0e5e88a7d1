"""The diagnostics that the client shows, from analyses and from each document's last run or test."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.documents import Document, DocumentStore
from gpuasync_lsp.lsp.finished_runs import FinishedRuns
from gpuasync_lsp.lsp.outgoing import Outgoing
from gpuasync_lsp.lsp.view import Built

if TYPE_CHECKING:
    from gpuasync_lsp.exec import RunReport
    from gpuasync_lsp.text import Finding


class Shown:
    """Publishes diagnostics, or asks a client that pulls diagnostics to pull again."""

    def __init__(
        self,
        outgoing: Outgoing,
        documents: DocumentStore,
        client: Callable[[], Client],
        current: Callable[[str], Built | None],
    ) -> None:
        """`client` returns the client's capabilities, `current(uri)` a document's newest analysis."""
        self._outgoing = outgoing
        self._documents = documents
        self._client = client
        self._current = current
        self._runs = FinishedRuns()
        self._pulled_early: set[str] = set()
        """Documents whose diagnostics were pulled before they were complete."""
        self.no_longer_open: dict[str, None] = {}
        """Closed documents, the newest last; a pulling client may still show their diagnostics."""

    @property
    def runs(self) -> FinishedRuns:
        """The findings of each document's last run."""
        return self._runs

    def opened(self, uri: str) -> None:
        """Record that a document is open."""
        self.no_longer_open.pop(uri, None)

    def changed(self, document: Document) -> None:
        """Clear the last run of an earlier version; the next build replaces all other diagnostics."""
        if self._runs.forget(document.uri) and self._pushes_runs:
            self._publish(document, "[]")

    def closed(self, uri: str) -> None:
        """Clear the diagnostics of a document."""
        self.no_longer_open[uri] = None
        self._pulled_early.discard(uri)
        pushed = self._runs.forget(uri) and self._pushes_runs
        if pushed or not self._client().pulls_diagnostics:
            self._outgoing.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})

    def built(self, document: Document, built: Built, *, is_whole: bool) -> None:
        """Show the diagnostics that a build has found so far."""
        if self._client().pulls_diagnostics:
            if is_whole and document.uri in self._pulled_early:
                self._pulled_early.discard(document.uri)
                self._outgoing.refresh("workspace/diagnostic/refresh")
            return
        self._publish(document, built.diagnostics)

    def pulled_early(self, uri: str) -> None:
        """Record that a client has pulled an incomplete result, so that it is asked to pull again."""
        self._pulled_early.add(uri)

    def run(self, document: Document, report: RunReport, *, profiled: bool) -> None:
        """Show the findings of a run of `document` and its times per line, until the document changes."""
        if self._documents.get(document.uri) is document:
            self._runs.take(document, report, self._client(), profiled=profiled)
            self._show_again(document)

    def test(self, document: Document, findings: Sequence[Finding]) -> None:
        """Show the results of the RUN lines of `document`, until the document changes."""
        if self._documents.get(document.uri) is document:
            self._runs.take_test(document, findings, self._client())
            self._show_again(document)

    def forget_run(self, document: Document) -> None:
        """Clear the findings of the last run of `document`."""
        if self._runs.forget(document.uri):
            self._show_again(document)

    def diagnostics_of(self, built: Built) -> str:
        """Return the JSON list of diagnostics for a client that pulls."""
        if self._pushes_runs:
            return built.diagnostics
        return self._runs.diagnostics(built.document, built.diagnostics)

    @property
    def _pushes_runs(self) -> bool:
        """Whether findings of runs are pushed because the client pulls but cannot be asked to pull again."""
        return self._client().pulls_diagnostics and not self._client().refreshes_diagnostics

    def _show_again(self, document: Document) -> None:
        self._outgoing.refresh("workspace/inlayHint/refresh", wanted=self._client().refreshes_inlay_hints)
        built = self._current(document.uri)
        if self._pushes_runs:
            self._publish(document, "[]", built.diagnostics if built is not None else "[]")
        elif self._client().pulls_diagnostics:
            self._outgoing.refresh("workspace/diagnostic/refresh")
        elif built is not None and built.is_whole:
            self._publish(document, built.diagnostics)

    def _publish(self, document: Document, diagnostics: str, pulled: str = "[]") -> None:
        """Publish `diagnostics` and those of the last run; omit what the client has already pulled."""
        version = "" if document.version is None else f'"version":{document.version},'
        diagnostics = self._runs.diagnostics(document, diagnostics, pulled)
        self._outgoing.notify_text(
            "textDocument/publishDiagnostics",
            f'{{"uri":{json.dumps(document.uri)},{version}"diagnostics":{diagnostics}}}',
        )
