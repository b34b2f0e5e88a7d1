"""Findings as diagnostics.

The JSON of an item's diagnostics is cached with the item and used again as long as the item begins at the
same line and column, so that publishing thousands after an edit writes only those that changed.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from gpuasync_lsp.ide.document.expectations import expected
from gpuasync_lsp.ide.document.grouping import grouped
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.text import Finding

Json = dict[str, Any]

SOURCE = "gpuasync"
RULE_URI = "gpuasync:/rules/{code}.md"
"""A rule's documentation as a virtual document."""

_CACHE = "lsp.diagnostics"
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_TAGS = {"unnecessary": 1, "deprecated": 2}


def diagnostics_json(state: FileState, uri: str, places: Places, client: Client) -> str:
    """Return the diagnostics of a file as a JSON list."""
    parts: list[str] = []
    lines = places.lines
    tested = expected(lines)
    marks = tuple(tested.items())
    for group in state.findings:
        if not group.findings:
            continue
        where = (uri, lines.position(group.offset), places.encoding, marks)
        memo = group.item.memo if group.item is not None else dict[Any, Any]()
        cached = memo.get(_CACHE)
        if cached is None or cached[0] != where or cached[2] is not group.findings:
            text = ",".join(
                _ENCODE(diagnostic(finding, uri, places, client, group.offset))
                for finding in grouped(group.findings)
                if tested.get(lines.position(finding.span.start + group.offset)[0]) is not finding.severity
            )
            cached = memo[_CACHE] = (where, text, group.findings)
        parts.append(cached[1])
    return f"[{','.join(parts)}]"


def diagnostic(finding: Finding, uri: str, places: Places, client: Client, offset: int = 0) -> Json:
    """Return one `Diagnostic`; spans of `finding` are counted from `offset` in the document."""
    result: Json = {
        "range": places.range(finding.span.shift(offset)),
        "severity": int(finding.severity),
        "code": finding.code,
        "source": SOURCE,
        "message": finding.message,
    }
    if client.code_description and (page := _page(finding.code, client.text_document_content)) is not None:
        result["codeDescription"] = {"href": page}
    tags = [_TAGS[tag] for tag in finding.tags if tag in _TAGS]
    if tags and client.diagnostic_tags:
        result["tags"] = tags
    if finding.related and client.related_information:
        result["relatedInformation"] = [
            {"location": places.location(uri, related.shift(offset).span), "message": related.message}
            for related in finding.related
        ]
    return result


@cache
def _page(code: str, as_virtual_document: bool) -> str | None:
    """Return the URI of a rule's documentation, which is there offline and fits the version."""
    from gpuasync_lsp.ide.features.rule_pages import rule_page

    if as_virtual_document:
        return RULE_URI.format(code=code)
    page = rule_page(code)
    return None if page is None else page.as_uri()
