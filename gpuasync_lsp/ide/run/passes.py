"""The passes of the user's pipeline that `run` executes before gpu-to-llvm."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuasync_lsp.exec.prepare import NotRunnable
from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline
from gpuasync_lsp.lowering import LoweringOptions
from gpuasync_lsp.lowering.pipeline.pipeline import (
    DEFAULT_STAGE,
    MissingPass,
    Step,
    parse_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.text import LineIndex

_SYNCHRONOUS = "gpu-async-region"
_OUTLINING = "gpu-kernel-outlining"


def run_passes(setting: Sequence[str] | None, lines: LineIndex) -> tuple[tuple[Step, ...], LoweringOptions]:
    """Return the passes of the setting `pipeline` before gpu-to-llvm, as written, and the resulting
    options.

    Without the setting, these are the passes of the first RUN line of the text (`lines`), if all of them are
    known. From any other RUN line only gpu-async-region is used, without which synchronous ops do not lower.

    The run executes gpu-to-llvm and the passes after it by itself. A pass that loads the NVVM dialect
    changes gpu-to-llvm; the options reflect this. Raises `NotRunnable` for a pass before gpu-to-llvm that
    this tool lacks: without it a different program would run.
    """
    before: list[Step] = []
    if setting is None:
        before += _of_run_line(lines)
    for word in setting or ():
        try:
            before += parse_pipeline(word).steps
        except MissingPass as error:
            if all(step.name != DEFAULT_STAGE for step in before):
                raise NotRunnable(str(error)) from error
    pipeline = stage_pipeline(DEFAULT_STAGE, before)
    names = [step.name for step in pipeline.steps]
    steps = pipeline.steps[: names.index(DEFAULT_STAGE)]
    return _with_outlining(steps), LoweringOptions(nvvm_loaded=pipeline.loads_nvvm)


def _with_outlining(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return `steps` with outlining inserted before gpu-async-region, which rejects `gpu.launch`."""
    names = [step.name for step in steps]
    if _SYNCHRONOUS not in names:
        return steps
    at = names.index(_SYNCHRONOUS)
    return (
        steps if _OUTLINING in names[:at] else (*steps[:at], *parse_pipeline(_OUTLINING).steps, *steps[at:])
    )


def _of_run_line(lines: LineIndex) -> Sequence[Step]:
    found = run_line_pipeline(lines)
    if found is None:
        return ()
    if found.pipeline is not None:
        return found.pipeline.steps
    is_named = _SYNCHRONOUS in (word.lstrip("-") for word in re.split(r"[^A-Za-z0-9-]+", found.text))
    return parse_pipeline(_SYNCHRONOUS).steps if is_named else ()
