"""What a preview shows: a stage, or the result of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from gpuasync_lsp.lowering import (
    DEFAULT_STAGE,
    LoweringOptions,
    Pipeline,
    PipelineError,
    parse_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.lowering.pipeline.pipeline import SOURCE, TRANSLATIONS, Step
from gpuasync_lsp.syntax.source import Item


class Reading(Protocol):
    """Reads items in the process that lowers them."""

    def begin(self, batch: Sequence[Item], /) -> None:
        """Set the items that are read next."""
        ...

    def __call__(self, item: Item, /) -> Item | None:
        """Return an item after reading it; None if it is rejected."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """The contents of a preview."""

    stage: str
    pipeline: Pipeline
    remarks: tuple[str, ...] = ()
    """Remarks on ignored parts of the user's pipeline."""
    options: LoweringOptions = field(default_factory=LoweringOptions)
    explained: bool = False
    folds_descriptors: bool = False
    """Whether the ops that build and read a memref descriptor become one line."""
    text_only: bool = False
    """Whether sources of lines, folding ranges and names of streams are not needed."""
    processes: int = 1
    """The number of copies of this process that share the items of a chunk; a process with threads makes
    none."""
    reading: Reading | None = None
    """Reads unread functions in these copies."""


class UnknownStage(ValueError):
    """An unknown stage or pipeline of a preview; the message lists the known ones."""


def view_of(
    stage: str | None = None,
    pipeline: str | None = None,
    setting: Sequence[str] | None = None,
    explained: bool = False,
    options: str = "",
) -> View:
    """Return the view of a stage, by default gpu-to-llvm, or of the result of a pipeline.

    The stage `lowered` is the default of editors: the host and the kernels, lowered.

    `pipeline` and `options`, those of gpu-to-llvm, are in mlir-opt's syntax. `setting` is the setting
    `pipeline`: passes before gpu-to-llvm; those that this tool lacks are left out with a remark. Raises
    UnknownStage.
    """
    try:
        if options:
            view = view_of(stage, pipeline, setting, explained)
            (main,) = parse_pipeline(f"{DEFAULT_STAGE}{{{options}}}").steps
            steps = [main if step.name == main.name else step for step in view.pipeline.steps]
            return replace(view, pipeline=replace(view.pipeline, steps=tuple(steps)))
        if pipeline is not None:
            asked = parse_pipeline(pipeline)
            if stage not in (None, *TRANSLATIONS):
                asked = asked.up_to(stage)
            last = asked.steps[-1].name if asked.steps else SOURCE
            return View(stage or last, asked, asked.remarks, explained=explained)
        steps, remarks = list[Step](), list[str]()
        for word in setting or ():
            try:
                steps += parse_pipeline(word).steps
            except PipelineError as error:
                remarks.append(f"skipped in the pipeline: {error}")
        stage = stage or DEFAULT_STAGE
        return View(stage, stage_pipeline(stage, steps), tuple(remarks), explained=explained)
    except PipelineError as error:
        raise UnknownStage(str(error)) from error
