"""The passes of the user's pipeline that a run has before gpu-to-llvm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpuasync_lsp.ide.preview.preview import view_of
from gpuasync_lsp.lowering import LoweringOptions
from gpuasync_lsp.lowering.pipeline.pipeline import DEFAULT_STAGE, TRANSLATED, Step, parse_pipeline


def run_passes(setting: Sequence[str] | None) -> tuple[tuple[Step, ...], LoweringOptions]:
    """Return the passes of the setting `pipeline` up to gpu-to-llvm, and the options that they bring.

    Without those that a run has anyway: it outlines kernels, lowers them itself, and expands subviews and
    control flow. But a pass that has the NVVM dialect loaded changes what gpu-to-llvm does, and that is in
    the options. A pass that this tool lacks is left out.
    """
    own = {step.name for step in parse_pipeline(TRANSLATED).steps}
    view = view_of(setting=setting)
    steps = view.pipeline.steps
    names = [step.name for step in steps]
    end = names.index(DEFAULT_STAGE) if DEFAULT_STAGE in names else len(steps)
    kept = tuple(step for step in steps[:end] if step.name not in own and "gpu.module" not in step.anchors)
    loaded = view.options.nvvm_loaded or view.pipeline.loads_nvvm
    return kept, replace(view.options, nvvm_loaded=loaded)
