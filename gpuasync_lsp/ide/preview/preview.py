"""The lowered code of a file, with links between its lines and those of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from gpuasync_lsp.analysis import rejections
from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.kernel_objects import serialize
from gpuasync_lsp.ide.preview.by_items import Shown, by_items, for_file
from gpuasync_lsp.ide.preview.notes import translation_note, unlowered_note, where_it_ended
from gpuasync_lsp.ide.preview.page import Note, Page, Preview
from gpuasync_lsp.ide.preview.ptx import PtxError, print_ptx
from gpuasync_lsp.ide.preview.view import View, view_of
from gpuasync_lsp.lowering import DEFAULT_STAGE, Part, Place, print_with_places, run_pipeline
from gpuasync_lsp.lowering.conversion.defects import InternalError, reporting_defects
from gpuasync_lsp.lowering.llvm_ir.stage import Untranslatable, print_llvm_ir
from gpuasync_lsp.lowering.pipeline.explain import explain
from gpuasync_lsp.lowering.pipeline.item_by_item import NotRead
from gpuasync_lsp.lowering.pipeline.line_map import Printed
from gpuasync_lsp.lowering.pipeline.pipeline import LLVM_IR, LOWERED, PTX, TRANSLATIONS
from gpuasync_lsp.syntax import SourceLoc, module_of, source_span
from gpuasync_lsp.syntax.source import Chunk, PlacedItem
from gpuasync_lsp.text import Finding, Span
from gpuasync_lsp.text.effort import TookTooLong, limited

MOST_LEFT_OUT = 8
"""The maximum number of items of a chunk that are left out because they fail, to lower the others."""


def preview(
    state: FileState,
    llvm: int | None = None,
    stage: str | None = None,
    cancel: Cancel | None = None,
    view: View | None = None,
    *,
    repeats: bool = True,
) -> Preview:
    """Return the lowering of the file, chunk by chunk, for its own LLVM version or for `llvm`.

    Without `repeats` the findings of the source are left out, unless the view is explained. `view` replaces
    `stage` and contains further settings. If the release would stop with an error, the chunk is shown as it
    is before the failing pass, with a note. Raises UnknownStage, and NotRead if an unread item has to be
    read.
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
        folds_descriptors=view.folds_descriptors,
        # GA108 reports launches that no pass outlines; this pipeline outlines them.
        without=frozenset({"GA108"} if outlines else ()),
    )
    for chunk in state.source.chunks:
        cancel.check()
        read = [(placed, state.contexts[placed.offset]) for placed in chunk.items if placed.item.is_read]
        refused = rejections(chunk, version, read)
        notes += [_rejection(each, version) for each in refused]
        try:
            with limited(chunk.span.end - chunk.span.start):
                shown = _lowered(state, chunk, refused, view, version)
        except TookTooLong:
            note = Note("lowering this took too long: it is shown unlowered", chunk.span)
            shown = Shown([_as_written(chunk.span, state.text)], [note])
        page.add(shown.parts)
        notes += [note for each in shown.notes for note in (each, *_advice(each, view))]
    return page.preview(notes, version, view.stage, str(view.pipeline))


def _rejection(finding: Finding, version: int) -> Note:
    message = finding.message.partition("\n")[0]
    return Note(f"LLVM {version} rejects this: {message}", finding.span, message)


def _lowered(state: FileState, chunk: Chunk, refused: Sequence[Finding], view: View, version: int) -> Shown:
    """Lower the items of a chunk, except for those that `refused` reports, which appear as written."""
    wrong = [p for p in chunk.items if any(p.span.contains(each.span.start) for each in refused)]
    sound = replace(chunk, items=tuple(p for p in chunk.items if p not in wrong))
    inside = sum(any(p.span.contains(each.span.start) for p in wrong) for each in refused)
    if inside < len(refused) or (refused and not sound.items):
        return Shown([_as_written(chunk.span, state.text)], [])
    shown = _shown(state, sound, view, version)
    ended: list[Note] = []
    while view.stage == LOWERED and len(ended) < MOST_LEFT_OUT and (failed := _failed(shown, sound)):
        # An error in one kernel or function must not hide the lowering of all others.
        wrong.append(failed)
        ended += [note for note in shown.notes if note.error]
        sound = replace(sound, items=tuple(p for p in sound.items if p is not failed))
        shown = by_items(state, sound, view, version) or _whole(state, sound, view, version)
    shown = Shown(shown.parts, [*ended, *shown.notes])
    if wrong and view.stage not in TRANSLATIONS:
        return Shown(_with_written(shown.parts, wrong, sound.items, state.text), shown.notes)
    return shown


def _with_written(
    parts: Sequence[Part], items: Iterable[PlacedItem], others: Iterable[PlacedItem], text: str
) -> Sequence[Part]:
    """Insert `items`, as written in `text`, into `parts` (the lowering of `others`), in text order."""
    places = [placed.offset for placed in others]
    whole, done = (parts[0], 0) if len(parts) == 1 else (None, 0)
    found: list[Part] = [] if whole is not None else [*parts]
    for item, offset in sorted(items, key=lambda placed: placed.offset):
        line = text.rfind("\n", 0, offset) + 1
        start = line if text[line:offset].isspace() else offset
        written = _as_written(Span(start, offset + len(item.text.rstrip())), text)
        if whole is not None:
            row = max(done, _row_after(whole.printed, [each for each in places if each < offset]))
            found += [Part(whole.printed.rows_between(done, row), whole.shift), written]
            done = row
            continue
        shifts = [part.shift for part in found]
        following = next((n for n, shift in enumerate(shifts) if shift > offset), None)
        # The last parts are declarations, whose source positions are those of the calls.
        last = shifts.index(max(shifts)) + 1 if max(shifts) else len(found) - 1
        found.insert(last if following is None else following, written)
    if whole is not None:
        found.append(Part(whole.printed.rows_between(done, whole.printed.rows), whole.shift))
    return found


def _as_written(span: Span, text: str) -> Part:
    """Return whole lines of the source unlowered, with each line linked to itself."""
    written = span.of(text)
    ends = [at.end() for at in re.finditer(r"\n|[^\n]\Z", written)]
    places = tuple(Place(row, Span(*line)) for row, line in enumerate(pairwise((0, *ends))))
    ending = "" if written.endswith("\n") else "\n"
    return Part(Printed(written + ending, places, heads={line: row for row, line in places}), span.start)


def _row_after(printed: Printed, before: Sequence[int]) -> int:
    """Return the line of a printed module that follows the lowering of the items at the offsets `before`.

    Without items, this is the first line of the module's body.
    """
    rows = [row for offset in before for row in printed.by_start.get(offset, ())]
    if not rows:
        return 1
    return next((fold.last for fold in printed.folds if fold.first <= max(rows) <= fold.last), max(rows)) + 1


def _shown(state: FileState, chunk: Chunk, view: View, version: int) -> Shown:
    """Return the lowering of a chunk; if a defect of this tool stops it, the source with a note."""
    nowhere = ModuleOp([])
    with suppress(InternalError):
        shown = reporting_defects(nowhere, view.stage, lambda: by_items(state, chunk, view, version), NotRead)
        if shown is not None:
            return shown
    # A defect in an item occurs again, with its location, when the chunk is lowered as a whole.
    try:
        return reporting_defects(nowhere, view.stage, lambda: _whole(state, chunk, view, version), NotRead)
    except InternalError as error:
        note = where_it_ended(state.text, version, error.op.name, str(error), source_span(error.op))
        return Shown([_as_written(chunk.span, state.text)], [note])


def _failed(shown: Shown, chunk: Chunk) -> PlacedItem | None:
    """Return the item in which a pass failed; None if the other items cannot be lowered without it."""
    errors = [note for note in shown.notes if note.error]
    if len(chunk.items) < 2 or not errors or _NO_BINARY.search(errors[0].error):
        return None
    place = errors[0].span
    return place and next((p for p in chunk.items if p.span.contains(place.start)), None)


def _whole(state: FileState, chunk: Chunk, view: View, version: int) -> Shown:
    """Lower a chunk as one module."""
    if not all(placed.item.is_read for placed in chunk.items):
        raise NotRead
    lowered = run_pipeline(module_of(chunk), view.pipeline, version, view.options, serialize)
    text = state.text
    notes = [unlowered_note(text, n.op_name, n.text, _span(n.location)) for n in lowered.notes]
    notes += [Note(f"LLVM {version} prints: {message}", None) for message in lowered.diagnostics]
    if lowered.error is not None:
        error = lowered.error
        notes.append(where_it_ended(text, version, error.op_name, error.text, _span(error.location)))
    elif view.stage in TRANSLATIONS:
        try:
            if view.stage == PTX:
                return Shown(print_ptx(lowered.module), notes)
            return Shown([Part(print_llvm_ir(lowered.module, version))], notes)
        except (Untranslatable, PtxError) as error:
            notes.append(translation_note(error))
    # Before gpu-to-llvm there are no runtime calls to annotate.
    ran = [step.name for step in view.pipeline.steps]
    if lowered.error is not None:
        ran = ran[: ran.index(lowered.failed_pass)]
    explained = explain(lowered.module) if DEFAULT_STAGE in ran else None
    return Shown([Part(print_with_places(lowered.module, explained=explained))], notes)


def _advice(note: Note, view: View) -> Iterator[Note]:
    """If gpu-to-llvm fails because kernels are not lowered, yield a note on the passes to run first."""
    if _NO_BINARY.search(note.error):
        yield Note("gpu-to-cubin or gpu-to-hsaco adds this attribute, using the vendor's compiler", note.span)
    elif [step.name for step in view.pipeline.steps] == [DEFAULT_STAGE] and _NOT_LOWERED.search(note.error):
        first = "run gpu.module(convert-gpu-to-nvvm) before gpu-to-llvm"
        yield Note(f"the kernel is not lowered yet: {first}, or show the stage `lowered`", note.span)


_NOT_LOWERED = re.compile(r"'gpu\.launch_func' op (type of function argument|got [0-9]+ kernel operands)")
_NO_BINARY = re.compile(r"'gpu\.module' op missing \S+ attribute")


def _span(location: Attribute) -> Span | None:
    return location.span if isinstance(location, SourceLoc) else None
