"""Converts findings to diagnostics.

An item caches the JSON of its diagnostics, which stays valid while the item begins at the same column. After
an edit in a file with thousands of diagnostics, only those of the edited function are encoded; all others
only get new line numbers.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuasync_lsp.ide.document.expectations import expected
from gpuasync_lsp.ide.document.grouping import OF_FILES, grouped, together_in_file
from gpuasync_lsp.ide.document.origins import Origins, described, named_file
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.known import known_findings
from gpuasync_lsp.text import Severity
from gpuasync_lsp.text.plain_json import Json

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.text import Finding, Span


SOURCE = "gpuasync"
RULE_URI = "gpuasync:/rules/{code}.md"
"""A rule's documentation as a virtual document."""

_CACHE = "lsp.diagnostics"
_LINE = '"line":'
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_TAGS = {"unnecessary": 1, "deprecated": 2}
_KNOWN = "\nThis is in the baseline: `check` does not report it."


class _Cut(NamedTuple):
    """Diagnostics as JSON, split at the line numbers of their ranges.

    Quotes inside JSON strings are escaped, so `"line":` is always a key."""

    pieces: Sequence[str]
    """The text before each line number."""
    last: str
    rows: Sequence[int]
    """The removed line numbers, relative to the item's first line."""

    @classmethod
    def of(cls, text: str, begin: int) -> _Cut:
        first, *others = text.split(_LINE)
        ends = [each.index(",") for each in others]
        *between, last = [each[end:] for each, end in zip(others, ends, strict=True)]
        rows = [int(each[:end]) - begin for each, end in zip(others, ends, strict=True)]
        return cls([f"{each}{_LINE}" for each in (first, *between)], last, rows)

    def at(self, begin: int) -> str:
        """Return the JSON if the item begins at the line `begin`."""
        parts = [f"{piece}{row + begin}" for piece, row in zip(self.pieces, self.rows, strict=True)]
        return f"{''.join(parts)}{self.last}"


class _Cached(NamedTuple):
    where: tuple[object, ...]
    """The inputs of the encoding other than `findings` and `line`."""
    findings: tuple[Finding, ...]
    line: int
    """The item's first line."""
    text: str
    """The diagnostics, separated by commas."""
    cut: _Cut | None = None

    def at(self, line: int) -> _Cached:
        """Return these diagnostics for the item at a new line."""
        if not self.text:
            return self._replace(line=line)
        cut = self.cut or _Cut.of(self.text, self.line)
        return _Cached(self.where, self.findings, line, cut.at(line), cut)


def diagnostics_json(state: FileState, uri: str, places: Places, client: Client) -> str:
    """Return the diagnostics of a file as a JSON list."""
    parts: list[str] = []
    lines, extras = places.lines, _Extras.of(client)
    tested = expected(lines)
    marks = tuple(tested.items())
    known = known_findings(state)
    ones: dict[str, Finding] = {} if tested else _of_file(state, known)
    origins = _Origins(state, places, _ENCODE(uri)) if extras.related and "loc(" in state.text else None
    write_one = partial(_text, uri=_ENCODE(uri), places=places, extras=extras, origins=origins)
    for group in state.findings:
        if not group.findings:
            continue
        line, column = lines.position(group.offset)
        are_known = tuple(f.shift(group.offset) in known for f in group.findings) if known else ()
        where = uri, column, places.encoding, extras, marks, frozenset(ones), are_known
        memo = group.item.memo if group.item is not None else dict[str, Any]()
        cached: _Cached | None = memo.get(_CACHE)
        if cached is None or cached.where != where or cached.findings is not group.findings:
            write = partial(write_one, offset=group.offset)
            flags = are_known or (False,) * len(group.findings)
            pairs = tuple(zip(group.findings, flags, strict=True))
            alone = tuple(f for f, is_known in pairs if not is_known and f.code not in ones)
            texts = [write(_as_known(f)) for f, is_known in pairs if is_known]
            texts += _texts(alone, group.offset, lines.starts, tested, write)
            cached = memo[_CACHE] = _Cached(where, group.findings, line, ",".join(texts))
        elif cached.line != line:
            cached = memo[_CACHE] = cached.at(line)
        if cached.text:
            parts.append(cached.text)
    parts += [write_one(one, offset=0) for one in ones.values()]
    return f"[{','.join(parts)}]"


def _as_known(finding: Finding) -> Finding:
    """Mark a finding as being in the baseline: lower its severity to a hint and extend its message."""
    return replace(finding, severity=Severity.HINT, message=f"{finding.message}{_KNOWN}")


def _of_file(state: FileState, known: Collection[Finding]) -> dict[str, Finding]:
    """Return one finding for each rule that is reported once per file, ignoring findings in the baseline."""
    found = (f.shift(g.offset) for g in state.findings for f in g.findings if f.code in OF_FILES)
    return together_in_file(state.text, (f for f in found if f not in known))


def _texts(
    findings: Sequence[Finding],
    offset: int,
    starts: Sequence[int],
    tested: Mapping[int, Severity],
    write: Callable[[Finding], str],
) -> list[str]:
    """Return the diagnostics of an item at `offset` as JSON, without those that a test expects."""
    together = grouped(findings)
    texts: list[str] = []
    for number, finding in enumerate(findings):
        if tested and tested.get(bisect_right(starts, finding.span.start + offset) - 1) is finding.severity:
            continue
        listed = together.get(number, finding)
        if listed is not None:
            texts.append(write(listed))
    return texts


def diagnostic(finding: Finding, uri: str, places: Places, client: Client, offset: int = 0) -> Json:
    """Return one `Diagnostic`; the spans of `finding` are relative to `offset` in the document."""
    result: Json = {
        "range": places.range(finding.span.shift(offset)),
        **_content(finding.code, finding.severity, finding.message, finding.tags, _Extras.of(client)),
    }
    if finding.related and client.related_information:
        result["relatedInformation"] = [
            {"location": places.location(uri, related.shift(offset).span), "message": related.message}
            for related in finding.related
        ]
    return result


class _Extras(NamedTuple):
    """The optional parts of a `Diagnostic` that the client supports."""

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


class _Origins:
    """Converts the `loc(...)` of ops to related information in JSON."""

    def __init__(self, state: FileState, places: Places, uri: str) -> None:
        self._origins = Origins(state.source)
        self._folder = None if state.path is None else state.path.parent
        self._places, self._uri = places, uri
        self._files: dict[str, str | None] = {}

    def of(self, span: Span) -> list[str]:
        """Return related information for the `loc(...)` of the op at `span`.

        If the first file does not exist, the information links to the op itself and names the locations."""
        named = self._origins.at(span.start)
        if not named:
            return []
        if self._file(named[0].file) is None:
            return [self._related(self._uri, self._places.range_text(span), f"from {described(named)}")]
        return [
            self._related(
                uri, f'{{"start":{start},"end":{start}}}', "called from here" if at else "from here"
            )
            for at, (file, line, column) in enumerate(named)
            if (uri := self._file(file)) is not None
            for start in (f'{{"line":{max(line - 1, 0)},"character":{max(column - 1, 0)}}}',)
        ]

    def _file(self, name: str) -> str | None:
        if name not in self._files:
            path = named_file(name, self._folder)
            self._files[name] = None if path is None else _ENCODE(path.as_uri())
        return self._files[name]

    @staticmethod
    def _related(uri: str, range_: str, message: str) -> str:
        place = f'{{"uri":{uri},"range":{range_}}}'
        return f'{{"location":{place},"message":{encode_basestring_ascii(message)}}}'


def _text(
    finding: Finding, uri: str, places: Places, extras: _Extras, origins: _Origins | None, offset: int
) -> str:
    """Return `diagnostic(...)` as JSON text, with the op's `loc(...)`; `uri` is already JSON text.

    Everything except positions is encoded once and reused when an edit moves the finding."""
    parts = [
        f'{{"range":{places.range_text(finding.span.shift(offset))}',
        _content_text(finding.code, finding.severity, finding.message, finding.tags, extras),
    ]
    related = [] if origins is None else origins.of(finding.span.shift(offset))
    if extras.related:
        related += [
            f'{{"location":{{"uri":{uri},"range":{places.range_text(each.shift(offset).span)}}}'
            f',"message":{encode_basestring_ascii(each.message)}}}'
            for each in finding.related
        ]
    if related:
        parts.append(f'"relatedInformation":[{",".join(related)}]')
    return f"{','.join(parts)}}}"


@lru_cache(maxsize=4_096)
def _content_text(code: str, severity: Severity, message: str, tags: tuple[str, ...], extras: _Extras) -> str:
    return _ENCODE(_content(code, severity, message, tags, extras))[1:-1]


def _content(code: str, severity: Severity, message: str, tags: tuple[str, ...], extras: _Extras) -> Json:
    """Return the parts of a `Diagnostic` other than positions."""
    result: Json = {"severity": int(severity), "code": code, "source": SOURCE, "message": message}
    if extras.pages and (page := _page(code, extras.virtual_pages)) is not None:
        result["codeDescription"] = {"href": page}
    known = [_TAGS[tag] for tag in tags if tag in _TAGS]
    if known and extras.tags:
        result["tags"] = known
    return result


@cache
def _page(code: str, as_virtual_document: bool) -> str | None:
    """Return the URI of a rule's documentation, which works offline and matches this version."""
    from gpuasync_lsp.ide.features.rule_pages import rule_page

    if as_virtual_document:
        return RULE_URI.format(code=code)
    page = rule_page(code)
    return None if page is None else page.as_uri()
