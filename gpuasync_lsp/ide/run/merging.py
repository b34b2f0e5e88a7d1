"""Merges the findings of a program run with those of the rules, without duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from gpuasync_lsp.analysis import BY_CODE
from gpuasync_lsp.text import Finding, LineIndex, Related

_RULES: dict[str, tuple[str, ...]] = {
    "double-free": ("double-dealloc",),
    "host-access-to-device-memory": ("inaccessible-memory",),
    "illegal-address": ("inaccessible-memory", "host-registration"),
    "invalid-launch": ("launch-configuration",),
    "invalid-pointer": ("wrong-deallocator", "host-registration"),
    "cuda-error": ("launch-configuration", "host-registration"),
    "kernel-race-same-value": ("kernel-race",),
    "deadlock": ("divergent-barrier",),
    "invalid-handle": ("event-taken-for-stream", "stream-taken-for-event", "null-token"),
    "leaked-stream": ("unawaited-token", "leaked-joined-stream"),
    "use-after-stream-destroy": ("stream-destroyed-twice",),
}
"""Maps the name of a run's finding to rules of other names that report the same fault statically."""


def rules_of(name: str) -> Set[str]:
    """Return the names of rules that report the same fault as a run's finding `name`."""
    return {name, *_RULES.get(name, ())}


def with_run(findings: Sequence[Finding], of_run: Iterable[Finding], lines: LineIndex) -> list[Finding]:
    """Add a run's findings to `findings`, the findings of the rules.

    If both report the same fault, the rule's finding gets a remark about the run. Otherwise the run's finding
    gets the code of the rule with the same name."""
    found = list(findings)
    codes = {rule.name: code for code, rule in BY_CODE.items()}
    for each in of_run:
        names, places = rules_of(each.name), _lines(each, lines)
        same = next((at for at, f in enumerate(found) if f.name in names and places & _lines(f, lines)), None)
        if same is None:
            found.append(replace(each, code=codes.get(each.name, each.code)))
        elif found[same] in findings:
            by_run = Related(each.span, f"a run found it: {each.message}")
            found[same] = replace(found[same], related=(*found[same].related, by_run))
    return found


def _lines(finding: Finding, lines: LineIndex) -> set[int]:
    spans = [finding.span, *(related.span for related in finding.related if not related.within)]
    return {lines.position(span.start)[0] for span in spans}
