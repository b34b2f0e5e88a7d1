"""Virtual documents (LSP 3.18): the documentation of rules, and what a document lowers to."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlsplit

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.analysis import explain
from gpuasync_lsp.lsp.answers.preview import lowering
from gpuasync_lsp.lsp.session import Session

Json = dict[str, Any]


async def content(session: Session, params: Json) -> Json:
    """Answer `workspace/textDocumentContent`. Raises JsonRpcInvalidParams for a URI that names nothing."""
    uri = urlsplit(str(params["uri"]))
    if uri.path.startswith("/rules/"):
        text = explain(uri.path.removeprefix("/rules/").removesuffix(".md"))
        if text is not None:
            return {"text": text}
    elif uri.path.startswith("/lowering/"):
        asked: Json = json.loads(unquote(uri.query))
        session.previewed.setdefault(asked["textDocument"]["uri"], set()).add(params["uri"])
        found = await session.answer(lowering, asked)
        return {"text": found["text"]}
    raise JsonRpcInvalidParams(f"{params['uri']} is no document of this server")
