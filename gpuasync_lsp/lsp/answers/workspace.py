"""Answers requests about the whole workspace: its symbols, and the diagnostics of every file.

With a partial result token, the client gets the results of each file as soon as they are known, and then an
empty final result, as the protocol requires.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.path_patterns import Excluding
from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.features.outline import OutlineEntry, flat, matches, outline
from gpuasync_lsp.ide.features.workspace import mlir_files, read_text, symbols_of
from gpuasync_lsp.lsp.answers.structure import SYMBOL_KINDS
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.diagnostics import diagnostics_json
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.uris import path_of, uri_of
from gpuasync_lsp.lsp.view import Built
from gpuasync_lsp.text import LineIndex
from gpuasync_lsp.text.plain_json import Json

Send = Callable[[object], None]

MOST_SYMBOLS = 1_000
"""The maximum number of symbols in an answer; VS Code asks again as the query grows."""


async def symbols(session: Session, params: Json) -> list[Json]:
    """Answer `workspace/symbol`: names that contain the letters of the query in order."""
    opened, folders = list(session.documents), [folder for _, folder in _folders(session)]
    # Open documents are already parsed.
    built = {d.uri: b.state for d in opened if (b := session.scheduler.current(d.uri)) is not None}
    query = params.get("query") or ""
    send = _sender(session, params)
    found = await session.run(lambda cancel: _symbols(session, opened, built, folders, query, cancel, send))
    return [] if send else found


def _symbols(
    session: Session,
    opened: list[Document],
    built: Mapping[str, FileState],
    folders: list[_Folder],
    query: str,
    cancel: Cancel,
    send: Send | None,
) -> list[Json]:
    found: list[Json] = []
    for uri, lines in _texts(opened, folders, cancel):
        places = Places(lines, session.client.encoding)
        state = built.get(uri)
        entries = _known_symbols(session, uri, lines.text) if state is None else flat(outline(state.source))
        before = len(found)
        for entry in entries:
            if matches(query, entry.name):
                found.append(
                    {
                        "name": entry.name,
                        "kind": SYMBOL_KINDS[entry.sort],
                        "location": places.location(uri, entry.name_span),
                        "containerName": entry.container,
                    }
                )
        if send is not None and len(found) > before:
            send(found[before:])
        if len(found) >= MOST_SYMBOLS:
            break
    return found


def _known_symbols(session: Session, uri: str, text: str) -> list[OutlineEntry]:
    known, digest = session.caches.symbols.get(uri), _digest(text)
    if known is None or known[0] != digest:
        found = symbols_of(text)
        known = session.caches.symbols.keep(uri, (digest, found), len(found) + 1)
    return known[1]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


async def diagnostics(session: Session, params: Json) -> Json:
    """Answer `workspace/diagnostic` for every file of the workspace, and for the newest version of open
    files.

    If the settings disable this, no file is reported, and earlier reports are cleared. The diagnostics of
    closed documents are cleared as well, since VS Code shows them until this answer replaces them."""
    known: list[Json] = params.get("previousResultIds") or []
    previous: dict[str, str] = {result["uri"]: result["value"] for result in known}
    opened = list(session.documents)
    folders = [
        folder for uri, folder in _folders(session) if session.configuration.options_for(uri).check_workspace
    ]
    if not folders:
        return {"items": [_nothing(uri) for uri in {**previous, **session.shown.no_longer_open}]}
    built = {d.uri: b for d in opened if (b := session.scheduler.current(d.uri)) is not None}
    async with session.progress.shown(params.get("workDoneToken"), "Checking the workspace") as report:
        send = _sender(session, params)
        items = await session.run(
            lambda cancel: _diagnostics(session, opened, built, folders, previous, report, cancel, send)
        )
    reported = {item["uri"] for item in items}
    gone = [_nothing(uri) for uri in session.shown.no_longer_open if uri not in reported]
    return {"items": gone if send else items + gone}


def _nothing(uri: str) -> Json:
    return {"uri": uri, "version": None, "kind": "full", "items": []}


def _diagnostics(
    session: Session,
    opened: list[Document],
    built: Mapping[str, Built],
    folders: list[_Folder],
    previous: dict[str, str],
    report: Callable[[str], None],
    cancel: Cancel,
    send: Send | None,
) -> list[Json]:
    versions = {document.uri: document.version for document in opened}
    items: list[Json] = []
    for uri, lines in _texts(opened, folders, cancel):
        cancel.check()
        report(uri.rsplit("/", 1)[-1])
        checked = _check(session, uri, lines, built.get(uri))
        item: Json = {"uri": uri, "version": versions.get(uri), "resultId": checked.result_id}
        if previous.get(uri) == checked.result_id:
            items.append({**item, "kind": "unchanged"})
        else:
            items.append({**item, "kind": "full", "items": json.loads(checked.diagnostics)})
        if send is not None:
            send({"items": items[-1:]})
    return items


class _Checked(NamedTuple):
    of: object
    """The text and the settings that the report was computed from; it is valid until one of them changes."""
    diagnostics: str
    result_id: str


def _check(session: Session, uri: str, lines: LineIndex, built: Built | None) -> _Checked:
    if built is not None and built.document.lines is lines:
        return _checked(None, built.diagnostics)
    of, known = (_digest(lines.text), session.configuration.generation), session.caches.diagnostics.get(uri)
    if known is not None and known[0] == of:
        return _Checked(*known)
    state = file_state(lines, path_of(uri), session.configuration.resolver_for(uri))
    text = diagnostics_json(state, uri, Places(lines, session.client.encoding), session.client)
    found = _checked(of, text)
    session.caches.diagnostics.keep(uri, found, len(text))
    return found


def _checked(of: object, diagnostics: str) -> _Checked:
    return _Checked(of, diagnostics, format(zlib.crc32(diagnostics.encode()), "08x"))


def _sender(session: Session, params: Json) -> Send | None:
    """Return a function that sends a partial result from any thread, or None if the client asked for none."""
    token = params.get("partialResultToken")
    if token is None:
        return None
    loop = asyncio.get_running_loop()

    def send(value: object) -> None:
        progress = {"token": token, "value": value}
        loop.call_soon_threadsafe(session.protocol.notify, "$/progress", progress)

    return send


_Folder = tuple[Path, Excluding]
"""A folder of the workspace, and its exclude patterns."""


def _folders(session: Session) -> list[tuple[str, _Folder]]:
    return [
        (uri, (path, session.configuration.resolver_for(uri).excluding()))
        for uri in session.folders
        if (path := path_of(uri)) is not None
    ]


def _texts(opened: list[Document], folders: list[_Folder], cancel: Cancel) -> list[tuple[str, LineIndex]]:
    """Return the files of the workspace by URI, with the editor's text for open documents."""
    found = [(document.uri, document.lines) for document in opened]
    open_paths = {path_of(document.uri) for document in opened}
    for path in mlir_files(folders, cancel):
        text = None if path in open_paths else read_text(path)
        if text is not None:
            found.append((uri_of(path), LineIndex(text)))
    return found
