"""The default pipeline of a file's preview: that of its first RUN line, unless the settings name one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.preview.stages import RUN_LINE
from gpuasync_lsp.ide.preview.view import UnknownStage, View, view_of
from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline
from gpuasync_lsp.lowering.pipeline.pipeline import LOWERED


@dataclass(frozen=True, slots=True)
class OwnPipeline:
    """The pipeline that a file or its settings specify."""

    stage: str
    """The default stage: `run-line`, or `lowered`."""
    text: str
    """The pipeline in mlir-opt's syntax; empty for the stage `lowered` without changes."""
    origin: str
    """The source of the pipeline; empty without one."""
    unused: str = ""
    """The reason why the RUN line is ignored; empty if it is not ignored, or if there is none."""


def own_pipeline(state: FileState) -> OwnPipeline:
    """Return a file's pipeline: that of the setting `pipeline`, of its first RUN line, or the default."""
    setting, run = state.resolved.settings.pipeline, run_line_pipeline(state.lines)
    if setting is not None:
        unused = f"the setting `pipeline` overrides {run.where}" if run else ""
        return OwnPipeline(LOWERED, ",".join(setting), "the setting `pipeline`", unused)
    if run is None:
        return OwnPipeline(LOWERED, "", "")
    if run.pipeline is None:
        return OwnPipeline(LOWERED, "", "", f"{run.where} is not supported: {_short(run.missing)}")
    return OwnPipeline(RUN_LINE, run.text, run.where)


def file_view(
    state: FileState,
    stage: str | None = None,
    pipeline: str | None = None,
    explained: bool = False,
    options: str = "",
) -> View:
    """Return the view of a file in an editor; like `view_of`, but by default with the file's own pipeline.

    If a RUN line is involved, a remark names the pipeline and its source. Raises UnknownStage.
    """
    setting = state.resolved.settings.pipeline
    if pipeline:
        return view_of(stage, pipeline, setting, explained, options)
    if stage is None:
        own = own_pipeline(state)
        if own.stage != RUN_LINE:
            view = view_of(own.stage, None, setting, explained, options)
            note = (f"{own.unused}; this is the stage `{own.stage}`",) if own.unused else ()
            return replace(view, remarks=(*note, *view.remarks))
    elif stage != RUN_LINE:
        return view_of(stage, None, setting, explained, options)
    return _of_run_line(state, explained, options)


def run_line_stage(state: FileState) -> dict[str, str]:
    """Return the stage of the file's RUN line with a short description; empty if it has no RUN line."""
    run = run_line_pipeline(state.lines)
    return {} if run is None or run.pipeline is None else {RUN_LINE: f"the passes of {run.where}"}


def _of_run_line(state: FileState, explained: bool, options: str) -> View:
    run = run_line_pipeline(state.lines)
    if run is None:
        raise UnknownStage(f"no stage {RUN_LINE!r}: the file has no RUN line that names passes")
    if run.pipeline is None:
        raise UnknownStage(f"{run.where} is not supported: {run.missing}")
    view = view_of(None, run.text, None, explained, options)
    note = f"passes of {run.where}: {run.text}"
    return replace(view, stage=RUN_LINE, remarks=(note, *view.remarks))


def _short(missing: str) -> str:
    """Return the message `missing` without the list of all passes."""
    return missing.partition(";")[0]
