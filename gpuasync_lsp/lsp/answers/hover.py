"""Answers hover requests."""

from __future__ import annotations

import re

from gpuasync_lsp.ide.features.hover import hover as hover_at
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text.plain_json import Json


def hover(view: View, params: Json) -> Json | None:
    """Answer `textDocument/hover`."""
    found = hover_at(view.state, view.offset(params))
    if found is None:
        return None
    contents = (
        {"kind": "markdown", "value": found.markdown}
        if view.client.markdown
        else {"kind": "plaintext", "value": _plain(found.markdown)}
    )
    return {"contents": contents, "range": view.places.range(found.span)}


def _plain(markdown: str) -> str:
    return re.sub(r"^```\w*\n|\*\*|(?<=\n)```\n?|`", "", markdown)
