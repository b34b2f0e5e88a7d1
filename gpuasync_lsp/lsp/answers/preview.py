"""The preview of the lowering beside the source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from pygls.exceptions import JsonRpcInvalidParams

from gpuasync_lsp.ide.document.cancel import Patience
from gpuasync_lsp.ide.document.settings import Settings, SettingsError, llvm_version
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.preview.engine import EngineError, compare, engine_preview
from gpuasync_lsp.ide.preview.fixed import UnknownFixes, after_fixes
from gpuasync_lsp.ide.preview.lowered_diff import renamed_like
from gpuasync_lsp.ide.preview.own_pipeline import file_view, run_line_stage
from gpuasync_lsp.ide.preview.page import LoweredFinding, Note, Preview
from gpuasync_lsp.ide.preview.preview import preview
from gpuasync_lsp.ide.preview.seen_first import seen_first
from gpuasync_lsp.ide.preview.stages import STAGE_DESCRIPTIONS
from gpuasync_lsp.ide.preview.view import UnknownStage
from gpuasync_lsp.ide.preview.view import View as Wanted
from gpuasync_lsp.lsp.session import Session
from gpuasync_lsp.lsp.view import View, command_argument
from gpuasync_lsp.processes import Command
from gpuasync_lsp.text import Encoding, LineIndex
from gpuasync_lsp.text.plain_json import Json, is_object

FIXING = 5.0
"""Time limit in seconds for the fixes of a preview "after fixes", which then shows those applied so far."""


async def lowering_in_parts(session: Session, params: Json) -> Json:
    """Answer `gpuasync/lowering`; with a `range`, first for the visible part if the whole takes longer."""
    if params.get("range") is not None:
        first: Json | None = await session.answer(lowering_seen, params, nearby=True)
        if first is not None:
            return first
    return await session.answer(lowering, params)


def lowering_seen(view: View, params: Json) -> Json | None:
    """Return the lowering of the functions in `range`, with one line for each other function.

    `isPartial` is set if there are other functions. Returns None if only the whole file can be shown, or if
    showing it takes no longer. Raises JsonRpcInvalidParams as `lowering` does."""
    if any(params.get(name) for name in ("fixed", "engine", "compare", "like")):
        return None
    version, wanted = _requested(view, params)
    found = seen_first(view.state, view.places.span(params["range"]), wanted, version, view.cancel)
    return None if found is None else _lowering_json(view, view.state, found)


def lowering(view: View, params: Json) -> Json:
    """Answer `gpuasync/lowering` for the whole document.

    Raises JsonRpcInvalidParams for an unknown version, stage, pipeline or kind of fixes, and if `engine` or
    `compare` ask for the user's own mlir-opt and it cannot be run."""
    state, remarks = view.state, list[Note]()
    report: Json = {}
    version, wanted = _requested(view, params)
    try:
        if params.get("fixed"):
            state, remarks = after_fixes(state, str(params["fixed"]), Patience(FIXING, view.cancel))
        if params.get("engine") == "mlir-opt":
            found = engine_preview(state, _command(view.state.resolved.settings), wanted)
        else:
            found = preview(state, version, cancel=view.cancel, view=wanted)
        if params.get("compare"):
            command = _command(view.state.resolved.settings)
            plain = replace(wanted, explained=False, folds_descriptors=False)
            theirs = engine_preview(state, command, plain)
            ours = preview(state, theirs.llvm, cancel=view.cancel, view=plain)
            report = {"report": compare(ours, theirs, command, state)}
    except (UnknownFixes, EngineError) as error:
        raise JsonRpcInvalidParams(str(error)) from error
    if is_object(like := params.get("like")):
        # Renaming moves the stream names, so their marks no longer apply.
        text = renamed_like(lowering(view, like)["text"], found.text)
        found = replace(found, text=text, marks=())
    if state is not view.state:
        # The line map would refer to the text after fixes, which the client does not show.
        found = replace(found, line_map={})
    return _lowering_json(view, state, replace(found, notes=(*remarks, *found.notes))) | report


def _requested(view: View, params: Json) -> tuple[int | None, Wanted]:
    """Return the LLVM version and the options of a preview request. Raises JsonRpcInvalidParams."""
    llvm = params.get("llvm")
    try:
        version = None if llvm is None else llvm_version(llvm)
        wanted = file_view(
            view.state,
            params.get("stage"),
            params.get("pipeline"),
            bool(params.get("explain")),
            params.get("options") or "",
        )
        return version, replace(wanted, folds_descriptors=bool(params.get("foldDescriptors")))
    except (SettingsError, UnknownStage) as error:
        raise JsonRpcInvalidParams(str(error)) from error


def _lowering_json(view: View, state: FileState, found: Preview) -> Json:
    """Return `found` as JSON; `state` is the analyzed text, before or after fixes."""
    lines = state.lines
    stages = {**run_line_stage(view.state), **STAGE_DESCRIPTIONS}
    return {
        "text": found.text,
        "lineMap": [[line, rows] for line, rows in sorted(found.line_map.items())],
        "notes": [
            {"message": note.message, "error": bool(note.error)}
            | ({} if note.span is None else {"line": lines.position(note.span.start)[0]})
            for note in found.notes
        ],
        "findings": [_finding(repeated, lines) for repeated in found.findings],
        "streams": _in_units(found.marks, found.text, view.places.encoding),
        "folds": found.folds,
        "llvm": found.llvm,
        "stage": found.stage,
        "stages": list(stages),
        "stageDescriptions": list(stages.values()),
        "pipeline": found.pipeline,
        "isPartial": found.is_partial,
        "folded": found.folded,
    }


def _finding(repeated: LoweredFinding, lines: LineIndex) -> Json:
    row, start, finding = repeated
    return {
        "line": row,
        "source": lines.position(start)[0],
        "code": finding.code,
        "severity": int(finding.severity),
        "message": finding.message,
    }


def _in_units(marks: Sequence[int], text: str, encoding: Encoding) -> Sequence[int]:
    """Convert the columns of encoded marks to the session's position encoding."""
    if encoding == "utf-32" or text.isascii():
        return marks
    lines = LineIndex(text)
    numbers: list[int] = []
    row = column = last = 0
    for at in range(0, len(marks), 4):
        rows, columns, length, stream = marks[at : at + 4]
        row, column, last = row + rows, columns + (0 if rows else column), 0 if rows else last
        start = lines.starts[row] + column
        (_, here), (_, end) = (lines.position(offset, encoding) for offset in (start, start + length))
        numbers += (rows, here - last, end - here, stream)
        last = here
    return numbers


def _command(settings: Settings) -> Command:
    """Return the user's mlir-opt command, which workspace files cannot set. Raises EngineError if unset."""
    if settings.mlir_opt is None:
        raise EngineError("to compare with your mlir-opt, set `mlir-opt` in your own settings")
    return settings.mlir_opt


async def preview_command(session: Session, params: Json) -> Json:
    """Run `gpuasync.preview`: the `gpuasync/lowering` request for clients that support only commands."""
    params = command_argument(params, "gpuasync.preview takes {textDocument, llvm?, stage?, ...}")
    result = await lowering_in_parts(session, params)
    if session.client.text_document_content and session.client.shows_documents:
        await session.outgoing.ask("window/showDocument", {"uri": preview_uri(params), "takeFocus": False})
    return result


def preview_uri(params: Json) -> str:
    """Return the URI of the virtual document with the result of `gpuasync/lowering` for `params`."""
    name = params["textDocument"]["uri"].rsplit("/", 1)[-1].removesuffix(".mlir")
    return (
        f"gpuasync:/lowering/{name}.lowered.mlir?{quote(json.dumps(params, separators=(',', ':')), safe='')}"
    )
