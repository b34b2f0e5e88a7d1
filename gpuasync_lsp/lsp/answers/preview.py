"""The lowering beside the source."""

from __future__ import annotations

import json
from typing import Any, cast
from urllib.parse import quote

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.preview import STAGES, UnknownStage, preview, view_of
from gpuasync_lsp.ide.preview_engine import EngineError, compare, engine_preview
from gpuasync_lsp.ide.settings import Settings, SettingsError, llvm_version
from gpuasync_lsp.lsp.session import Session, View

Json = dict[str, Any]


def lowering(view: View, params: Json) -> Json:
    """Answer `gpuasync/lowering`. Raises JsonRpcInvalidParams for an unknown version, stage or pipeline, and
    where the user's own mlir-opt is asked for (`engine`, `compare`) and cannot be run."""
    llvm, settings = params.get("llvm"), view.state.resolved.settings
    report: Json = {}
    try:
        version = None if llvm is None else llvm_version(llvm)
        wanted = view_of(
            params.get("stage"),
            params.get("pipeline"),
            settings.pipeline,
            bool(params.get("explain")),
            params.get("options") or "",
        )
        if params.get("engine") == "mlir-opt":
            found = engine_preview(view.state, _command(settings), wanted)
        else:
            found = preview(view.state, version, cancel=view.cancel, view=wanted)
        if params.get("compare"):
            command = _command(settings)
            theirs = engine_preview(view.state, command, wanted)
            ours = preview(view.state, theirs.llvm, cancel=view.cancel, view=wanted)
            report = {"report": compare(ours, theirs, command, view.state)}
    except (SettingsError, UnknownStage, EngineError) as error:
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
        "pipeline": found.pipeline,
    } | report


def _command(settings: Settings) -> tuple[str, ...]:
    """Return the user's own mlir-opt, which no file of a workspace can name. Raises EngineError."""
    if settings.mlir_opt is None:
        raise EngineError("name your mlir-opt in your own settings (`mlir-opt`) to compare with it")
    return settings.mlir_opt


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
