"""The lowering beside the source."""

from __future__ import annotations

import json
from typing import Any, cast
from urllib.parse import quote

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.preview import STAGES, UnknownStage, preview
from gpuasync_lsp.ide.settings import SettingsError, llvm_version
from gpuasync_lsp.lsp.session import Session, View

Json = dict[str, Any]


def lowering(view: View, params: Json) -> Json:
    """Answer `gpuasync/lowering`. Raises JsonRpcInvalidParams for an unknown version or stage."""
    llvm = params.get("llvm")
    try:
        version = None if llvm is None else llvm_version(llvm)
        found = preview(view.state, version, params.get("stage"), cancel=view.cancel)
    except (SettingsError, UnknownStage) as error:
        raise JsonRpcInvalidParams(str(error)) from error
    lines = view.state.lines
    return {
        "text": found.text,
        "lineMap": [[line, rows] for line, rows in sorted(found.line_map.items())],
        "notes": [
            {"message": note.message}
            | ({} if note.span is None else {"line": lines.position(note.span.start)[0]})
            for note in found.notes
        ],
        "llvm": found.llvm,
        "stage": found.stage,
        "stages": list(STAGES),
    }


async def preview_command(session: Session, arguments: list[Any]) -> Json:
    """Run `gpuasync.preview`: the `gpuasync/lowering` request, for clients that know commands only."""
    if not arguments or not isinstance(arguments[0], dict):
        raise JsonRpcInvalidParams("gpuasync.preview takes {textDocument, llvm?, stage?}")
    params = cast("Json", arguments[0])
    result: Json = await session.answer(lowering, params)
    if session.client.text_document_content and session.client.shows_documents:
        await session.ask("window/showDocument", {"uri": preview_uri(params), "takeFocus": False})
    return result


def preview_uri(params: Json) -> str:
    """Return the virtual document that shows what `gpuasync/lowering` with `params` gives."""
    name = params["textDocument"]["uri"].rsplit("/", 1)[-1].removesuffix(".mlir")
    return (
        f"gpuasync:/lowering/{name}.lowered.mlir?{quote(json.dumps(params, separators=(',', ':')), safe='')}"
    )
