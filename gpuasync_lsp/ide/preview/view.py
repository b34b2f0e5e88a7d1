"""The settings of a preview: a stage or a pipeline, and options."""

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
        """Read the items of a batch, before they are lowered."""
        ...

    def __call__(self, item: Item, /) -> Item | None:
        """Return an item of the batch with its ops; None if mlir-opt rejects it."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """The settings of a preview: its stage, pipeline, and options."""

    stage: str
    pipeline: Pipeline
    remarks: tuple[str, ...] = ()
    """Messages about parts of the user's pipeline that are ignored."""
    options: LoweringOptions = field(default_factory=LoweringOptions)
    explained: bool = False
    folds_descriptors: bool = False
    """Whether the ops that build and read a memref descriptor become one line."""
    text_only: bool = False
    """Whether to omit links to the source, folding ranges and names of streams."""
    processes: int = 1
    """The number of forks that share the items of a chunk; a process with threads is not forked."""
    reading: Reading | None = None
    """Reads unread functions in the forked processes."""


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

    The stage `lowered`, the default of editors, shows the host code and the kernels, both lowered.

    `pipeline`, and the `options` of gpu-to-llvm, are in mlir-opt's syntax. `setting` is the setting
    `pipeline`: passes before gpu-to-llvm; passes that this tool lacks are left out with a remark. Raises
    UnknownStage.
    """
    try:
        if options:
            view = view_of(stage, pipeline, setting, explained)
            (main,) = parse_pipeline(f"{DEFAULT_STAGE}{{{options}}}").steps
            steps = [main if step.name == main.name else step for step in view.pipeline.steps]
            return replace(view, pipeline=replace(view.pipeline, steps=tuple(steps)))
        if pipeline is not None:
            parsed = parse_pipeline(pipeline)
            if stage not in (None, *TRANSLATIONS):
                parsed = parsed.up_to(stage)
            last = parsed.steps[-1].name if parsed.steps else SOURCE
            return View(stage or last, parsed, parsed.remarks, explained=explained)
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
