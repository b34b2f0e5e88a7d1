"""The passes of the user's pipeline that a run has before gpu-to-llvm."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from gpuasync_lsp.ide.runlines.pipeline import run_line_pipeline
from gpuasync_lsp.lowering import LoweringOptions
from gpuasync_lsp.lowering.pipeline.pipeline import (
    DEFAULT_STAGE,
    TRANSLATED,
    PipelineError,
    Step,
    parse_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.text import LineIndex

_SYNCHRONOUS = "gpu-async-region"


def run_passes(setting: Sequence[str] | None, lines: LineIndex) -> tuple[tuple[Step, ...], LoweringOptions]:
    """Return the passes of the setting `pipeline` up to gpu-to-llvm, and the options that they bring.

    Where the setting is not given, it is gpu-async-region if the first RUN line of the text (`lines`) has it:
    without synchronous ops do not lower.

    Without those that a run has anyway: it outlines kernels, lowers them itself, and expands subviews and
    control flow. But a pass that has the NVVM dialect loaded changes what gpu-to-llvm does, and that is in
    the options. A pass that this tool lacks is left out.
    """
    own = {step.name for step in parse_pipeline(TRANSLATED).steps}
    before: list[Step] = []
    for word in (_of_run_line(lines) if setting is None else setting) or ():
        with suppress(PipelineError):
            before += parse_pipeline(word).steps
    pipeline = stage_pipeline(DEFAULT_STAGE, before)
    steps = pipeline.steps
    names = [step.name for step in steps]
    end = names.index(DEFAULT_STAGE) if DEFAULT_STAGE in names else len(steps)
    kept = tuple(step for step in steps[:end] if step.name not in own and "gpu.module" not in step.anchors)
    return kept, LoweringOptions(nvvm_loaded=pipeline.loads_nvvm)


def _of_run_line(lines: LineIndex) -> Sequence[str] | None:
    found = run_line_pipeline(lines)
    # The passes are looked for in the text: others may be unknown here, and a run does without them.
    words = re.split(r"[^A-Za-z0-9-]+", found.text) if found is not None else []
    return [_SYNCHRONOUS] if any(word.lstrip("-") == _SYNCHRONOUS for word in words) else None
