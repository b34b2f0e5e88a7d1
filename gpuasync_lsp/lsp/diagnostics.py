"""Findings as diagnostics.

The JSON of an item's diagnostics is cached with the item and used again as long as the item begins at the
same column, so that publishing thousands after an edit writes only those that changed, and the new lines of
others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuasync_lsp.ide.document.expectations import expected
from gpuasync_lsp.ide.document.grouping import grouped
from gpuasync_lsp.ide.document.left import Left
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.text import Finding, Severity

Json = dict[str, Any]

SOURCE = "gpuasync"
RULE_URI = "gpuasync:/rules/{code}.md"
"""A rule's documentation as a virtual document."""

_CACHE = "lsp.diagnostics"
_LINE = '"line":'
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
MOST_ENCODED = 4_096
"""Diagnostics of all documents whose words are kept as JSON."""
_TAGS = {"unnecessary": 1, "deprecated": 2}


class _Cached(NamedTuple):
    """The diagnostics of an item as JSON, the commas between them included."""

    where: tuple[object, ...]
    """What they depend on besides `findings` and `line`."""
    findings: Sequence[Finding]
    line: int
    """Where the item begins."""
    texts: Sequence[str]
    """One for each diagnostic."""
    rows: int
    """Lines of the item."""

    def at(self, line: int) -> _Cached:
        """Return the same of the item where it begins at another line."""
        return self._replace(line=line, texts=[_at_line(text, line - self.line) for text in self.texts])


def _at_line(text: str, delta: int) -> str:
    """Return diagnostics so many lines further down. Within a JSON string each quote is escaped: `"line":` is
    always the key."""
    first, *others = text.split(_LINE)
    parts = [first]
    for other in others:
        number, comma, rest = other.partition(",")
        parts.append(f"{int(number) + delta}{comma}{rest}")
    return _LINE.join(parts)


def diagnostics_json(state: FileState, uri: str, places: Places, client: Client) -> str:
    """Return the diagnostics of a file as a JSON list."""
    parts: list[str] = []
    lines = places.lines
    tested = expected(lines)
    marks = tuple(tested.items())
    for group in state.findings:
        if not group.findings:
            continue
        line, column = lines.position(group.offset)
        where = (uri, column, places.encoding, marks)
        memo = group.item.memo if group.item is not None else dict[Any, Any]()
        cached: _Cached | None = memo.get(_CACHE)
        if cached is None or cached.where != where or cached.findings is not group.findings:
            write = partial(
                _text, uri=_ENCODE(uri), places=places, extras=_Extras.of(client), offset=group.offset
            )
            found = group.findings
            end = group.offset if group.item is None else group.offset + len(group.item.text)
            rows = lines.position(end)[0] - line
            texts = _left(found, where, line, rows, write) if isinstance(found, Left) else None
            if texts is None:
                texts = [
                    write(finding)
                    for finding in grouped(found)
                    if not tested
                    or tested.get(lines.position(finding.span.start + group.offset)[0])
                    is not finding.severity
                ]
            cached = memo[_CACHE] = _Cached(where, found, line, texts, rows)
        elif cached.line != line:
            cached = memo[_CACHE] = cached.at(line)
        parts += cached.texts
    return f"[{','.join(parts)}]"


def _left(
    left: Left, where: tuple[object, ...], line: int, rows: int, write: Callable[[Finding], str]
) -> list[str] | None:
    """Return the texts of findings that are left of an earlier text, by those that were written of it; None
    if these are not there."""
    then: _Cached | None = left.memo.get(_CACHE)
    if then is None or then.findings is not left.known or (then.where, then.line) != (where, line):
        return None
    if len(then.texts) != len(left.known):
        return None  # Some stand for several.
    delta = rows - then.rows
    texts = [
        then.texts[number]
        if not delta or not (left.is_split(number) or left.is_behind(number))
        else write(left.moved(number))
        if left.is_split(number)
        else _at_line(then.texts[number], delta)
        for number in left.numbers
    ]
    for error in reversed(left.errors):
        texts.insert(left.place(error), write(error))
    return texts


def diagnostic(finding: Finding, uri: str, places: Places, client: Client, offset: int = 0) -> Json:
    """Return one `Diagnostic`; spans of `finding` are counted from `offset` in the document."""
    result: Json = {
        "range": places.range(finding.span.shift(offset)),
        **_said(finding.code, finding.severity, finding.message, finding.tags, _Extras.of(client)),
    }
    if finding.related and client.related_information:
        result["relatedInformation"] = [
            {"location": places.location(uri, related.shift(offset).span), "message": related.message}
            for related in finding.related
        ]
    return result


class _Extras(NamedTuple):
    """What of a `Diagnostic` the client takes besides the least."""

    pages: bool
    virtual_pages: bool
    tags: bool
    related: bool

    @classmethod
    def of(cls, client: Client) -> _Extras:
        return cls(
            client.code_description,
            client.text_document_content,
            client.diagnostic_tags,
            client.related_information,
        )


def _text(finding: Finding, uri: str, places: Places, extras: _Extras, offset: int) -> str:
    """Return what `diagnostic` does as JSON; `uri` is JSON already. What an edit moves keeps its words, which
    are encoded once."""
    parts = [
        f'{{"range":{places.range_text(finding.span.shift(offset))}',
        _said_text(finding.code, finding.severity, finding.message, finding.tags, extras),
    ]
    if finding.related and extras.related:
        related = [
            f'{{"location":{{"uri":{uri},"range":{places.range_text(each.shift(offset).span)}}}'
            f',"message":{encode_basestring_ascii(each.message)}}}'
            for each in finding.related
        ]
        parts.append(f'"relatedInformation":[{",".join(related)}]')
    return f"{','.join(parts)}}}"


@lru_cache(maxsize=MOST_ENCODED)
def _said_text(code: str, severity: Severity, message: str, tags: tuple[str, ...], extras: _Extras) -> str:
    return _ENCODE(_said(code, severity, message, tags, extras))[1:-1]


def _said(code: str, severity: Severity, message: str, tags: tuple[str, ...], extras: _Extras) -> Json:
    """Return what a `Diagnostic` has besides places."""
    result: Json = {"severity": int(severity), "code": code, "source": SOURCE, "message": message}
    if extras.pages and (page := _page(code, extras.virtual_pages)) is not None:
        result["codeDescription"] = {"href": page}
    known = [_TAGS[tag] for tag in tags if tag in _TAGS]
    if known and extras.tags:
        result["tags"] = known
    return result


@cache
def _page(code: str, as_virtual_document: bool) -> str | None:
    """Return the URI of a rule's documentation, which is there offline and fits the version."""
    from gpuasync_lsp.ide.features.rule_pages import rule_page

    if as_virtual_document:
        return RULE_URI.format(code=code)
    page = rule_page(code)
    return None if page is None else page.as_uri()
