"""The findings of each document's last run or test, valid until the document changes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostic
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.text.plain_json import Json

if TYPE_CHECKING:
    from gpuasync_lsp.exec import RunReport
    from gpuasync_lsp.ide.features.inlay_hints import Hint
    from gpuasync_lsp.text import Finding

SOURCE = "gpuasync run"
_MET = "Also reported by the last run"
SOURCE_OF_TESTS = "gpuasync test"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run of one version of a document."""

    document: Document
    diagnostics: tuple[Json, ...]
    timings: tuple[Hint, ...]


class FinishedRuns:
    """The last run of each document, keyed by the document's URI."""

    def __init__(self) -> None:
        self._runs: dict[str, FinishedRun] = {}

    def take(self, document: Document, report: RunReport, client: Client, *, profiled: bool) -> None:
        """Store the report of a run of `document`, replacing an earlier report."""
        from gpuasync_lsp.ide.run.results import run_findings, run_timings

        timings = tuple(run_timings(report, document.lines)) if profiled else ()
        self._keep(document, run_findings(report, document.lines), SOURCE, client, timings)

    def take_test(self, document: Document, findings: Iterable[Finding], client: Client) -> None:
        """Store the results of the RUN lines of `document`, replacing an earlier run."""
        self._keep(document, findings, SOURCE_OF_TESTS, client, ())

    def _keep(
        self,
        document: Document,
        findings: Iterable[Finding],
        source: str,
        client: Client,
        timings: tuple[Hint, ...],
    ) -> None:
        places = Places(document.lines, client.encoding)
        found = [
            diagnostic(finding, document.uri, places, client) | {"source": source} for finding in findings
        ]
        for each in found:
            each.pop("codeDescription", None)  # The pages describe rules, not runs.
        self._runs[document.uri] = FinishedRun(document, tuple(found), timings)

    def forget(self, uri: str) -> bool:
        """Drop the run of a document; return whether there was one."""
        return self._runs.pop(uri, None) is not None

    def diagnostics(self, document: Document, others: str, pulled: str = "[]") -> str:
        """Return the JSON list `others` plus the findings of the last run of this document version.

        A finding that an analysis reports at the same line is merged with it. Findings in `pulled`,
        which the client already has, are left out."""
        run = self._runs.get(document.uri)
        if run is None or run.document is not document or not run.diagnostics:
            return others
        # Imported here because it loads the rules.
        from gpuasync_lsp.ide.run.merging import rules_of

        found: list[Json] = json.loads(others)
        shown = [*found, *json.loads(pulled)]
        known = {(each["range"]["start"]["line"], _rule(each)): each for each in shown}
        for each in run.diagnostics:
            line = each["range"]["start"]["line"]
            rules = rules_of(str(each.get("code")))
            same = next((known[line, rule] for rule in sorted(rules) if (line, rule) in known), None)
            if same is None:
                found.append(each)
            elif _MET not in same["message"]:
                same["message"] += f"\n{_MET}: {each['message']}"
        return json.dumps(found, separators=(",", ":"))

    def timings(self, document: Document) -> tuple[Hint, ...]:
        """Return the time per line in the last run of this version of a document."""
        run = self._runs.get(document.uri)
        return run.timings if run is not None and run.document is document else ()


def _rule(diagnostic: Json) -> str:
    """Return the name of a diagnostic's rule; empty if it has none."""
    from gpuasync_lsp.analysis import BY_CODE

    rule = BY_CODE.get(str(diagnostic.get("code")))
    return "" if rule is None else rule.name
