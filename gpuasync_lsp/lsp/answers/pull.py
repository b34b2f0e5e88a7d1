"""Answers requests for the diagnostics of one document."""

from __future__ import annotations

import zlib

from gpuasync_lsp.lsp.protocol import RawJson
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text.plain_json import Json


def document_diagnostics(view: View, params: Json) -> Json | RawJson:
    """Answer `textDocument/diagnostic`; `unchanged` if the client already has these diagnostics."""
    result_id = format(zlib.crc32(view.diagnostics.encode()), "08x")
    if params.get("previousResultId") == result_id:
        return {"kind": "unchanged", "resultId": result_id}
    return RawJson(f'{{"kind":"full","resultId":"{result_id}","items":{view.diagnostics}}}')
