"""The result of a build, and the inputs for answering a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.lsp.caches import Caches
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.lsp.convert import Places
from gpuasync_lsp.lsp.documents import Document
from gpuasync_lsp.text.plain_json import Json, is_object

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.cancel import Cancel
    from gpuasync_lsp.ide.document.options import EditorOptions
    from gpuasync_lsp.ide.document.state import FileState
    from gpuasync_lsp.ide.features.inlay_hints import Hint


@dataclass(frozen=True, slots=True)
class Built:
    """A finished analysis of a version of a document, and its diagnostics in the client's format."""

    document: Document
    state: FileState
    places: Places
    diagnostics: str
    """The diagnostics as a JSON list."""
    is_whole: bool
    """False for a partial result, while a large document is being read."""


@dataclass(frozen=True, slots=True)
class View:
    """The immutable inputs of an answer."""

    document: Document
    state: FileState
    places: Places
    client: Client
    options: EditorOptions
    cancel: Cancel
    diagnostics: str
    timings: tuple[Hint, ...]
    """Times per line of the document's last run."""
    caches: Caches
    warn: Callable[[str], None]
    """Shows a message to the user; callable from any thread."""

    @property
    def uri(self) -> str:
        """The document's URI."""
        return self.document.uri

    def offset(self, params: Json) -> int:
        """Return the offset of the `position` in the request's parameters."""
        return self.places.offset(params["position"])


Answer = Callable[[View, Json], Any]


def command_argument(params: Json, usage: str) -> Json:
    """Return the first argument of a command, an object. Raises JsonRpcInvalidParams with `usage`."""
    arguments = params.get("arguments")
    if not arguments or not is_object(arguments[0]):
        raise JsonRpcInvalidParams(usage)
    return arguments[0]
