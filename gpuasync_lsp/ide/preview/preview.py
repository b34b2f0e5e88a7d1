"""The lowered code of a file, with the links between its lines and those of the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Region

from gpuasync_lsp.analysis import refusals
from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.kernel_objects import serialize
from gpuasync_lsp.ide.preview.page import LoweredFinding, Note, Page, Preview
from gpuasync_lsp.ide.preview.ptx import AsPTX, PtxError, print_ptx
from gpuasync_lsp.lowering import (
    DEFAULT_STAGE,
    STAGES,
    LoweringOptions,
    Part,
    Pipeline,
    PipelineError,
    Place,
    Rendering,
    lower_chunk,
    parse_pipeline,
    print_chunk,
    print_with_places,
    run_pipeline,
    stage_pipeline,
)
from gpuasync_lsp.lowering.conversion.defects import InternalError, telling_defects
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError
from gpuasync_lsp.lowering.llvm_ir.stage import AsLLVMIR, Untranslatable, print_llvm_ir
from gpuasync_lsp.lowering.pipeline.explain import explain
from gpuasync_lsp.lowering.pipeline.item_by_item import AsMLIR
from gpuasync_lsp.lowering.pipeline.line_map import Fold, Printed
from gpuasync_lsp.lowering.pipeline.option_releases import missing_option
from gpuasync_lsp.lowering.pipeline.pipeline import (
    LLVM_IR,
    LOWERED,
    PTX,
    SOURCE,
    TRANSLATIONS,
    Step,
    invoked,
    run_steps,
)
from gpuasync_lsp.lowering.pipeline.registry import PASSES, with_options
from gpuasync_lsp.syntax import OpaqueOp, SourceLoc, clones, module_of, source_span
from gpuasync_lsp.syntax.dialects.func import FuncOp
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem
from gpuasync_lsp.text import Finding, Span
from gpuasync_lsp.text.defects import is_defect
from gpuasync_lsp.text.effort import TookTooLong, limited
from gpuasync_lsp.text.recent import recent

__all__ = [
    "LOWERED",
    "STAGES",
    "Fold",
    "LoweredFinding",
    "Note",
    "Preview",
    "UnknownStage",
    "View",
    "preview",
    "view_of",
]


MOST_PREPARED = 2
"""Results of the passes before gpu-to-llvm, which are IR, that an item remembers."""


MOST_LEFT_OUT = 8
"""Items in which a pass may end, and the others are lowered still."""


@dataclass(frozen=True, slots=True)
class View:
    """What a preview is to show."""

    stage: str
    pipeline: Pipeline
    remarks: tuple[str, ...] = ()
    """What of the user's pipeline could not be taken."""
    options: LoweringOptions = field(default_factory=LoweringOptions)
    explained: bool = False
    text_only: bool = False
    """Whether nobody asks where a line comes from, what may be folded and which names are streams."""
    processes: int = 1
    """How many copies of this process share the items of a chunk; a process with threads makes none."""


class UnknownStage(ValueError):
    """A preview of a stage or pipeline that there is not; the message names those that there are."""


def view_of(
    stage: str | None = None,
    pipeline: str | None = None,
    setting: Sequence[str] | None = None,
    explained: bool = False,
    options: str = "",
) -> View:
    """Return what to show for a stage, by default gpu-to-llvm, or at the end of a pipeline.

    The stage `lowered` is what an editor shows first: the host and the kernels, lowered.

    `pipeline` and `options`, those of gpu-to-llvm, are in mlir-opt's syntax. `setting` is the setting
    `pipeline`: passes before gpu-to-llvm, of which those that this tool lacks are left out with a remark.
    Raises UnknownStage.
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
                remarks.append(f"left out of the pipeline: {error}")
        stage = stage or DEFAULT_STAGE
        return View(stage, stage_pipeline(stage, steps), tuple(remarks), explained=explained)
    except PipelineError as error:
        raise UnknownStage(str(error)) from error


def preview(
    state: FileState,
    llvm: int | None = None,
    stage: str | None = None,
    cancel: Cancel | None = None,
    view: View | None = None,
    *,
    repeats: bool = True,
) -> Preview:
    """Return what the file lowers to, chunk by chunk, for its own LLVM version or for `llvm`.

    Without `repeats` the findings of the source are left out, unless the view is explained. `view` says more
    exactly than `stage` what to show. Where the release would stop with an error, the chunk is shown as it
    was before, with a note. Raises UnknownStage.
    """
    view = for_file(view or view_of(stage, setting=state.resolved.settings.pipeline), state)
    version = llvm or state.resolved.target.version
    cancel = cancel or Cancel()
    notes = [Note(remark, None) for remark in view.remarks]
    outlines = any(step.name == "gpu-kernel-outlining" for step in view.pipeline.steps)
    page = Page(
        state,
        view.explained,
        ";" if view.stage == LLVM_IR else "//",
        repeats=repeats,
        text_only=view.text_only,
        # That a launch is not outlined holds of gpu-to-llvm alone.
        without=frozenset({"GA108"} if outlines else ()),
    )
    for chunk in state.source.chunks:
        cancel.check()
        refused = refusals(chunk, version, [(p, state.contexts[p.offset]) for p in chunk.items])
        notes += [_refused(each, version) for each in refused]
        try:
            with limited(chunk.span.end - chunk.span.start):
                shown = _lowered(state, chunk, refused, view, version)
        except TookTooLong:
            text = chunk.span.of(state.text)
            note = Note("lowering this took too long: it is shown as it is written", chunk.span)
            shown = _Shown([Part(Printed(text, ()))], [note])
        page.add(shown.parts)
        notes += [note for each in shown.notes for note in (each, *_advice(each, view))]
    return page.preview(notes, version, view.stage, str(view.pipeline))


def for_file(view: View, state: FileState) -> View:
    """Return `view`; of the stage `lowered`, in a file without kernels, less the passes for these."""
    if view.stage != LOWERED or any(_has_kernels(p.item) for c in state.source.chunks for p in c.items):
        return view
    return replace(view, pipeline=view.pipeline.without_kernels())


class _Shown(NamedTuple):
    parts: Sequence[Part]
    notes: list[Note]


def _refused(finding: Finding, version: int) -> Note:
    said = finding.message.partition("\n")[0]
    return Note(f"LLVM {version} refuses this: {said}", finding.span, said)


def _lowered(state: FileState, chunk: Chunk, refused: Sequence[Finding], view: View, version: int) -> _Shown:
    """Lower the items of a chunk in which nothing is `refused`; the others follow as they are written."""
    wrong = [p for p in chunk.items if any(p.span.contains(each.span.start) for each in refused)]
    sound = replace(chunk, items=tuple(p for p in chunk.items if p not in wrong))
    inside = sum(any(p.span.contains(each.span.start) for p in wrong) for each in refused)
    if inside < len(refused) or (refused and not sound.items):
        return _Shown([Part(Printed(chunk.span.of(state.text), ()))], [])
    shown = _shown(state, sound, view, version)
    ended: list[Note] = []
    while view.stage == LOWERED and len(ended) < MOST_LEFT_OUT and (failed := _failed(shown, sound)):
        # What a release refuses in one kernel or function hides nothing of the others.
        wrong.append(failed)
        ended += [note for note in shown.notes if note.error]
        sound = replace(sound, items=tuple(p for p in sound.items if p is not failed))
        shown = _by_items(state, sound, view, version) or _whole(state, sound, view, version)
    shown = _Shown(shown.parts, [*ended, *shown.notes])
    if wrong and view.stage not in TRANSLATIONS:
        parts = [
            Part(Printed(p.item.text.rstrip() + "\n", (Place(0, Span(0, len(p.item.text))),)), p.offset)
            for p in wrong
        ]
        return _Shown([*shown.parts, *parts], shown.notes)
    return shown


def _shown(state: FileState, chunk: Chunk, view: View, version: int) -> _Shown:
    """Return what a chunk lowers to, or where a defect of this tool ended that."""
    nowhere = ModuleOp([])
    with suppress(InternalError), telling_defects(nowhere, view.stage):
        if (shown := _by_items(state, chunk, view, version)) is not None:
            return shown
    # Whatever tripped in an item trips in the whole, where it has its place in the file.
    try:
        with telling_defects(nowhere, view.stage):
            return _whole(state, chunk, view, version)
    except InternalError as error:
        note = _ended(state.text, version, error.op.name, str(error), source_span(error.op))
        return _Shown([Part(Printed(chunk.span.of(state.text), ()))], [note])


def _failed(shown: _Shown, chunk: Chunk) -> PlacedItem | None:
    """Return the item at which a pass ended, if others are left that may do without it."""
    errors = [note for note in shown.notes if note.error]
    if len(chunk.items) < 2 or not errors or _NO_BINARY.search(errors[0].error):
        return None
    place = errors[0].span
    return place and next((p for p in chunk.items if p.span.contains(place.start)), None)


def _whole(state: FileState, chunk: Chunk, view: View, version: int) -> _Shown:
    """Lower a chunk as one module."""
    lowered = run_pipeline(module_of(chunk), view.pipeline, version, view.options, serialize)
    text = state.text
    notes = [_left(text, n.op_name, n.text, _span(n.location)) for n in lowered.notes]
    notes += [Note(f"LLVM {version} prints: {said}", None) for said in lowered.diagnostics]
    if lowered.error is not None:
        error = lowered.error
        notes.append(_ended(text, version, error.op_name, error.text, _span(error.location)))
    elif view.stage in TRANSLATIONS:
        try:
            if view.stage == PTX:
                return _Shown(print_ptx(lowered.module), notes)
            return _Shown([Part(print_llvm_ir(lowered.module, version))], notes)
        except (Untranslatable, PtxError) as error:
            notes.append(_refusal(error))
    # Before gpu-to-llvm nothing was called yet that there would be something to say of.
    ran = [step.name for step in view.pipeline.steps]
    if lowered.error is not None:
        ran = ran[: ran.index(lowered.failed_pass)]
    explained = explain(lowered.module) if DEFAULT_STAGE in ran else None
    return _Shown([Part(print_with_places(lowered.module, explained=explained))], notes)


def _by_items(state: FileState, chunk: Chunk, view: View, version: int) -> _Shown | None:
    """Lower a chunk item by item, so that an edit lowers one again; None where that is not the same."""
    if not view.pipeline.steps:
        return None
    all_steps = view.pipeline.steps
    steps = [step for n, step in enumerate(all_steps) if not _leaves_alone(step, chunk, all_steps[:n])]
    names = [step.name for step in steps]
    if any(missing_option(step, version) for step in steps):
        return None
    if any(PASSES[name].needs_whole_module for name in names) or names.count(DEFAULT_STAGE) > 1:
        return None
    main = names.index(DEFAULT_STAGE) if DEFAULT_STAGE in names else len(steps)
    before, after = tuple(steps[:main]), tuple(steps[main + 1 :])
    # Functions can wait until they are lowered, which copies of the process do: they tell the others nothing
    # that a pass changes.
    can_wait = view.processes > 1 and main < len(steps) and view.stage not in TRANSLATIONS
    waiting: set[Item] = set()
    items: list[PlacedItem] = []
    for placed in chunk.items:
        prepared: Item | None = placed.item
        if before and can_wait and all(isinstance(op, FuncOp) for op in placed.item.ops):
            waiting.add(placed.item)
        elif before:
            prepared = _prepared(placed.item, before, version, view)
        if prepared is None:
            return None
        items.append(PlacedItem(prepared, placed.offset))
    prepared_chunk = replace(chunk, items=tuple(items))

    def prepare(item: Item) -> Item | None:
        return _prepared(item, before, version, view) if item in waiting else item

    refused: list[Note] = []
    if main == len(steps):
        lowered = print_chunk(prepared_chunk, version) if view.stage not in TRANSLATIONS else None
    else:
        options = with_options(steps[main], view.options)
        options = replace(
            options,
            nvvm_loaded=options.nvvm_loaded or view.pipeline.loads_nvvm,
            whole_kernels=options.whole_kernels or view.pipeline.whole_kernels,
        )
        try:
            rendering = _rendering(prepared_chunk, view, version)
            lowered = lower_chunk(
                prepared_chunk,
                version,
                options,
                after,
                rendering,
                view.processes,
                prepare if waiting else None,
            )
        except (Untranslatable, PtxError) as error:
            lowered = lower_chunk(prepared_chunk, version, options, after)
            refused.append(_refusal(error))
    if lowered is None or (lowered.error is not None and before):
        return None
    text = state.text
    notes = [_left(text, n.op_name, n.text, n.span) for n in lowered.notes]
    notes += [Note(f"LLVM {version} prints: {said}", None) for said in lowered.diagnostics]
    if lowered.error is not None:
        error = lowered.error
        notes.append(_ended(text, version, error.op_name, error.text, error.span))
    return _Shown(lowered.parts, notes + refused)


def _rendering(chunk: Chunk, view: View, version: int) -> Rendering[Any]:
    """Return how a view shows what was lowered."""
    if view.stage == LLVM_IR:
        return AsLLVMIR.of((op for placed in chunk.items for op in placed.item.ops), version)
    return AsPTX() if view.stage == PTX else AsMLIR(view.text_only)


def _refusal(error: Untranslatable | PtxError) -> Note:
    if isinstance(error, PtxError):
        return Note(f"no PTX: {error}", None, str(error))
    return Note(f"no LLVM IR: {error.message}", error.span, error.message)


def _leaves_alone(step: Step, chunk: Chunk, before: Sequence[Step]) -> bool:
    """Tell whether a pass does nothing to `chunk`: outlining without a launch that is there or that a pass
    `before` makes, symbol-dce without a symbol that may go or an unknown op that may hold some."""
    if step.name == "symbol-dce":
        return not any(
            _remembered(placed.item, "preview.symbols", lambda item=placed.item: _may_lose_symbols(item))
            for placed in chunk.items
        )
    if step.name != "gpu-kernel-outlining":
        return False
    made = any(other.name in _MAKES_LAUNCHES for other in before)
    return not any(
        _remembered(placed.item, "preview.launches", lambda item=placed.item: _launches(item))
        or (made and _remembered(placed.item, "preview.loops", lambda item=placed.item: _may_launch(item)))
        for placed in chunk.items
    )


_MAKES_LAUNCHES = frozenset({"convert-parallel-loops-to-gpu"})


def _has_kernels(item: Item) -> bool:
    return _remembered(
        item,
        "preview.kernels",
        lambda: any(inner.name in ("gpu.launch", "gpu.module") for op in item.ops for inner in op.walk()),
    )


def _launches(item: Item) -> bool:
    return any(inner.name == "gpu.launch" for op in item.ops for inner in op.walk())


def _may_launch(item: Item) -> bool:
    """Tell whether passes can make launches of something: of parallel loops, and of what becomes such."""
    loops = ("scf.parallel", "affine.parallel")
    return any(
        inner.name in loops or inner.name.startswith("linalg.") for op in item.ops for inner in op.walk()
    )


def _may_lose_symbols(item: Item) -> bool:
    return any(
        isinstance(inner, OpaqueOp) or inner.get_attr_or_prop("sym_visibility") is not None
        for op in item.ops
        for inner in op.walk()
    )


def _remembered(item: Item, key: str, compute: Callable[[], bool]) -> bool:
    if key not in item.memo:
        item.memo[key] = compute()
    return item.memo[key]


def _prepared(item: Item, steps: tuple[Step, ...], version: int, view: View) -> Item | None:
    """Return `item` after passes that look at one item only; None after an error, or if ops were left."""
    pipeline = Pipeline(steps, whole_kernels=view.pipeline.whole_kernels)
    key = (pipeline, version, view.options)
    kept = recent(item.memo, "preview.prepared", MOST_PREPARED)
    found = kept.get(key)
    if found is None:
        module = ModuleOp(Region(Block(clones(PlacedItem(item, 0)))))
        invocation = invoked(module, pipeline, version, view.options)
        try:
            run_steps(module, steps, invocation)
            done = not invocation.left
        except (LegalizationError, PassError):
            done = False
        prepared = None
        if done:
            ops = list(module.ops)
            for op in ops:
                op.detach()
            prepared = Item(item.text, tuple(ops), item.spans, item.problems)
        found = kept.keep(key, (prepared,))
    return found[0]


def _left(text: str, op_name: str, reason: str, span: Span | None) -> Note:
    return Note(f"{op_name} stays: {reason}", _at_name(text, op_name, span))


def _ended(text: str, version: int, op_name: str, reason: str, span: Span | None) -> Note:
    message = reason if is_defect(reason) else f"LLVM {version} ends here: {reason}"
    return Note(message, _at_name(text, op_name, span), reason)


def _advice(note: Note, view: View) -> Iterator[Note]:
    """Yield what to run first where gpu-to-llvm meets kernels that are not lowered yet."""
    if _NO_BINARY.search(note.error):
        yield Note("gpu-to-cubin or gpu-to-hsaco writes it, with the vendor's compiler", note.span)
    elif [step.name for step in view.pipeline.steps] == [DEFAULT_STAGE] and _NOT_LOWERED.search(note.error):
        first = "run gpu.module(convert-gpu-to-nvvm) before gpu-to-llvm"
        yield Note(f"the kernel is not lowered yet: {first}, or show the stage `lowered`", note.span)


_NOT_LOWERED = re.compile(r"'gpu\.launch_func' op (type of function argument|got [0-9]+ kernel operands)")
_NO_BINARY = re.compile(r"'gpu\.module' op missing \S+ attribute")


def _at_name(text: str, op_name: str, span: Span | None) -> Span | None:
    """Return the place where mlir-opt points: at the name of an op, behind its results."""
    if span is None:
        return None
    return Span(max(text.find(op_name, *span), span.start), span.end)


def _span(location: Attribute) -> Span | None:
    return location.span if isinstance(location, SourceLoc) else None
