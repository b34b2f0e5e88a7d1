"""An editor for tests: a pytest-lsp client with a profile's capabilities, and documents that can be edited.

pytest-lsp decodes every response with lsprotocol's types, so a response of the wrong shape fails the test.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, client_capabilities

SERVER = Path(sys.executable).with_name("gpuasync-lsp")
PROFILES = ("visual-studio-code", "neovim", "emacs")
TIMEOUT = 30

_numbers = itertools.count(1)


def capabilities(profile: str) -> types.ClientCapabilities:
    """Return the newest capabilities of an editor that pytest-lsp has."""
    return client_capabilities(profile.replace("-", "_"))


class Editor:
    """One editor with its server."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.published: dict[tuple[str, int | None], list[types.Diagnostic]] = {}
        self.arrived = asyncio.Condition()
        self.configuration: Any = None
        self.folder_configuration: dict[str, Any] = {}
        """The configuration of folders where it differs, by the folder's URI."""
        self.asked = 0
        """How often the server has requested its configuration."""
        self.registered: list[str] = []
        self.result: types.InitializeResult | None = None
        self.profile = ""
        features = client.protocol.fm.features
        features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self._on_diagnostics
        features[types.WORKSPACE_CONFIGURATION] = self._on_configuration
        features[types.CLIENT_REGISTER_CAPABILITY] = self._on_register
        for method in ("inlayHint", "semanticTokens", "codeLens"):
            features[f"workspace/{method}/refresh"] = lambda *_: None

    async def start(self, profile: str, **params: Any) -> types.InitializeResult:
        """Initialize the session with the profile's capabilities."""
        self.profile = profile
        params.setdefault("capabilities", capabilities(profile))
        self.result = await self.client.initialize_session(types.InitializeParams(**params))
        return self.result

    @property
    def encoding(self) -> str:
        """The position encoding of the session."""
        assert self.result is not None
        chosen = self.result.capabilities.position_encoding
        return str(getattr(chosen, "value", chosen) or "utf-16")

    def open(self, text: str, uri: str | None = None) -> Buffer:
        """Open a document."""
        buffer = Buffer(self, uri or f"file:///tests/file{next(_numbers)}.mlir", text)
        item = types.TextDocumentItem(buffer.uri, "mlir", buffer.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return buffer

    async def request(self, method: str, params: Any) -> Any:
        """Send a request, given as JSON, and return its result; fail if there is no response."""
        return await asyncio.wait_for(self.send(method, params), TIMEOUT)

    def send(self, method: str, params: Any, msg_id: str | None = None) -> asyncio.Future[Any]:
        """Send a request, and return an awaitable for its result."""
        known = types.METHOD_TO_TYPES.get(method)
        if known is not None:
            params = _converter.structure(params, known[2])
        return asyncio.wrap_future(self.client.protocol.send_request(method, params, msg_id=msg_id))

    @staticmethod
    def json(value: Any) -> Any:
        """Return a protocol value as JSON."""
        return _json(value)

    @staticmethod
    def typed(value: Any, type: Any) -> Any:
        """Return JSON as the protocol type `type`."""
        return _converter.structure(value, type)

    async def _notice(self) -> None:
        async with self.arrived:
            self.arrived.notify_all()

    def _on_diagnostics(self, params: types.PublishDiagnosticsParams) -> None:
        self.published[params.uri, params.version] = list(params.diagnostics)
        _tasks.add(asyncio.ensure_future(self._notice()))

    def _on_configuration(self, params: types.ConfigurationParams) -> list[Any]:
        self.asked += 1
        _tasks.add(asyncio.ensure_future(self._notice()))
        return [
            self.folder_configuration.get(item.scope_uri or "", self.configuration) for item in params.items
        ]

    def _on_register(self, params: types.RegistrationParams) -> None:
        self.registered += [registration.method for registration in params.registrations]
        _tasks.add(asyncio.ensure_future(self._notice()))


class Buffer:
    """One open document of an editor."""

    def __init__(self, editor: Editor, uri: str, text: str) -> None:
        self.editor = editor
        self.uri = uri
        self.text = text
        self.version = 1

    @property
    def id(self) -> types.TextDocumentIdentifier:
        """The document's identifier in requests."""
        return types.TextDocumentIdentifier(self.uri)

    def at(self, needle: str, shift: int = 0, *, occurrence: int = 0) -> types.Position:
        """Return the position of the text `needle`, moved by `shift` code points."""
        offset = -1
        for _ in range(occurrence + 1):
            offset = self.text.index(needle, offset + 1)
        return self.position(offset + shift)

    def position(self, offset: int) -> types.Position:
        """Return the position of a code-point offset in this session's encoding."""
        before = self.text[:offset]
        line = before.count("\n")
        prefix = before[before.rfind("\n") + 1 :]
        unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.editor.encoding]
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.editor.encoding]
        return types.Position(line, len(prefix.encode(codec)) // unit)

    def offset(self, position: types.Position) -> int:
        """Return the code-point offset of a position."""
        line_start = 0
        for _ in range(position.line):
            line_start = self.text.index("\n", line_start) + 1
        unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.editor.encoding]
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.editor.encoding]
        line = self.text[line_start:].split("\n", 1)[0]
        return line_start + len(line.encode(codec)[: position.character * unit].decode(codec))

    def slice(self, range_: types.Range) -> str:
        """Return the text of a range."""
        return self.text[self.offset(range_.start) : self.offset(range_.end)]

    def whole(self) -> types.Range:
        """Return the range of the whole text."""
        return types.Range(types.Position(0, 0), self.position(len(self.text)))

    def change(self, old: str, new: str) -> None:
        """Replace the first occurrence of `old`, as one incremental change."""
        start = self.text.index(old)
        range_ = types.Range(self.position(start), self.position(start + len(old)))
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        self.editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangePartial(range_, new)],
            )
        )

    def close(self) -> None:
        """Close the document."""
        self.editor.client.text_document_did_close(types.DidCloseTextDocumentParams(self.id))

    async def diagnostics(self) -> list[types.Diagnostic]:
        """Return the diagnostics of the current version, pushed or pulled as the client supports."""
        assert self.editor.result is not None
        if self.editor.result.capabilities.diagnostic_provider is not None:
            while True:
                try:
                    return list((await self.request("textDocument/diagnostic")).items)
                except JsonRpcException as error:
                    # As clients do, ask again if the document changed meanwhile.
                    if not (isinstance(error.data, dict) and error.data.get("retriggerRequest")):
                        raise
        async with self.editor.arrived:
            await asyncio.wait_for(
                self.editor.arrived.wait_for(lambda: (self.uri, self.version) in self.editor.published),
                TIMEOUT,
            )
        return self.editor.published[self.uri, self.version]

    async def request(self, method: str, position: types.Position | None = None, **more: Any) -> Any:
        """Send a request about this document."""
        return await self.editor.request(method, self.params(position, **more))

    def params(self, position: types.Position | None = None, **more: Any) -> dict[str, Any]:
        """Return the parameters of a request about this document, as JSON."""
        params: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        if position is not None:
            params["position"] = _json(position)
        return params | {key: _json(value) for key, value in more.items()}

    def apply(self, edits: list[types.TextEdit]) -> str:
        """Return the text with `edits` applied."""
        text = self.text
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            text = text[: self.offset(edit.range.start)] + edit.new_text + text[self.offset(edit.range.end) :]
        return text


def edits_of(edit: types.WorkspaceEdit, buffer: Buffer) -> list[types.TextEdit]:
    """Return the edits of one document, from either form of a workspace edit."""
    if edit.document_changes is not None:
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == buffer.uri
        assert change.text_document.version == buffer.version
        return [e for e in change.edits if isinstance(e, types.TextEdit)]
    assert edit.changes is not None
    return list(edit.changes[buffer.uri])


def _json(value: Any) -> Any:
    return _converter.unstructure(value)


_converter = pytest_lsp.make_test_lsp_client().protocol._converter
_tasks: set[asyncio.Future[Any]] = set()
