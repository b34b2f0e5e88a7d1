"""Virtual documents (LSP 3.18): rule documentation and lowered documents."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlsplit

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.analysis import explain
from gpuasync_lsp.lsp.answers.preview import lowering
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.shapes import mistake
from gpuasync_lsp.text.plain_json import Json


async def content(session: Session, params: Json) -> Json:
    """Answer `workspace/textDocumentContent`. Raises JsonRpcInvalidParams for an unknown URI."""
    name = str(params["uri"])
    try:
        uri = urlsplit(name)
        request: Any = json.loads(unquote(uri.query)) if uri.path.startswith("/lowering/") else None
    except (ValueError, RecursionError) as error:
        raise JsonRpcInvalidParams(f"{name} is not a document of this server: {error}") from error
    if uri.path.startswith("/rules/"):
        text = explain(uri.path.removeprefix("/rules/").removesuffix(".md"))
        if text is not None:
            return {"text": text}
    elif uri.path.startswith("/lowering/"):
        if (problem := mistake("gpuasync/lowering", request, complete=True)) is not None:
            raise JsonRpcInvalidParams(f"{name}: {problem}")
        document = session.document_of(request)
        session.caches.show(document.uri, name)
        found = await session.answer(lowering, request)
        return {"text": found["text"]}
    raise JsonRpcInvalidParams(f"{name} is not a document of this server")
