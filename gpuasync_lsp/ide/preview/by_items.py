"""Lowers the items of a chunk one by one, so that an edit lowers only the edited item again."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.preview.notes import translation_note, unlowered_note, where_it_ended
from gpuasync_lsp.ide.preview.page import Note
from gpuasync_lsp.ide.preview.ptx import AsPTX, PtxError
from gpuasync_lsp.ide.preview.view import View
from gpuasync_lsp.lowering import (
    DEFAULT_STAGE,
    LoweringOptions,
    Part,
    Pipeline,
    Rendering,
    lower_chunk,
    print_chunk,
)
from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError
from gpuasync_lsp.lowering.llvm_ir.stage import AsLLVMIR, Untranslatable
from gpuasync_lsp.lowering.pipeline.item_by_item import AsMLIR, NotRead, remembered
from gpuasync_lsp.lowering.pipeline.pipeline import (
    LLVM_IR,
    LOWERED,
    PTX,
    TRANSLATIONS,
    Step,
    invoked,
    run_steps,
)
from gpuasync_lsp.lowering.pipeline.registry import PASSES, with_options
from gpuasync_lsp.lowering.pipeline.text import missing_option
from gpuasync_lsp.syntax import OpaqueOp, clones
from gpuasync_lsp.syntax.dialects.func import FuncOp
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem
from gpuasync_lsp.text.recent import recent


class Shown(NamedTuple):
    """The lowering of a chunk: its parts and its notes."""

    parts: Sequence[Part]
    notes: list[Note]
    is_partial: bool = False
    """Whether some items appear as placeholder lines because they are not lowered yet."""


def for_file(view: View, state: FileState) -> View:
    """Return `view`, without the passes on kernels if the stage is `lowered` and the file has no kernels."""
    if view.stage != LOWERED or any(_has_kernels(p.item) for c in state.source.chunks for p in c.items):
        return view
    return replace(view, pipeline=view.pipeline.without_kernels())


def by_items(
    state: FileState, chunk: Chunk, view: View, version: int, later: Set[Item] = frozenset()
) -> Shown | None:
    """Lower a chunk item by item; None if the result may differ from lowering the whole chunk.

    Functions in `later` become placeholder lines unless their lowering is memoized; if there are any, and a
    pass fails, the result is None. Raises NotRead for functions that `view.reading` must read first.
    """
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
    # The passes on a function can run in the copy of the process that lowers it, since they change nothing
    # that other items use.
    can_wait = view.processes > 1 and main < len(steps) and view.stage not in TRANSLATIONS
    reads = can_wait and view.reading is not None
    if not reads and not all(item.is_read or item in later for item, _ in chunk.items):
        raise NotRead
    waiting: set[Item] = set()
    items: list[PlacedItem] = []
    still_later: set[Item] = set()
    for placed in chunk.items:
        prepared: Item | None = placed.item
        if before and placed.item in later and not _is_prepared(placed.item, before, version, view):
            still_later.add(placed.item)
        elif can_wait and (before or not placed.item.is_read) and is_function(placed.item):
            waiting.add(placed.item)
        elif before:
            prepared = _prepared(placed.item, before, version, view)
        if prepared is None:
            return None
        if placed.item in later:
            still_later.add(prepared)
        items.append(PlacedItem(prepared, placed.offset))
    prepared_chunk = replace(chunk, items=tuple(items))

    refused: list[Note] = []
    if main == len(steps):
        shows = view.stage not in TRANSLATIONS
        lowered = print_chunk(prepared_chunk, version, still_later) if shows else None
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
                _Preparing(before, version, view, waiting) if waiting else None,
                still_later,
            )
        except (Untranslatable, PtxError) as error:
            lowered = lower_chunk(prepared_chunk, version, options, after)
            refused.append(translation_note(error))
    if lowered is None or (lowered.error is not None and (before or later)):
        return None
    text = state.text
    notes = [unlowered_note(text, n.op_name, n.text, n.span) for n in lowered.notes]
    notes += [Note(f"LLVM {version} prints: {message}", None) for message in lowered.diagnostics]
    if lowered.error is not None:
        error = lowered.error
        notes.append(where_it_ended(text, version, error.op_name, error.text, error.span))
    return Shown(lowered.parts, notes + refused, lowered.is_partial)


@dataclass(frozen=True)
class _Preparing:
    """Runs the passes before gpu-to-llvm on a function, in the process that lowers the function."""

    steps: tuple[Step, ...]
    version: int
    view: View
    waiting: Set[Item] = field(compare=False)
    """The functions on which the passes have not run; all other items are prepared already."""

    def begin(self, batch: Sequence[Item]) -> None:
        if self.view.reading is not None:
            self.view.reading.begin(batch)

    def __call__(self, item: Item) -> Item | None:
        if item not in self.waiting:
            return item
        read = item if self.view.reading is None else self.view.reading(item)
        if read is None or not self.steps:
            return read
        return _prepared(read, self.steps, self.version, self.view)


def is_function(item: Item) -> bool:
    """Return whether an item consists of functions only; True for unread items."""
    return all(isinstance(op, FuncOp) for op in item.ops)


def _has_kernels(item: Item) -> bool:
    return remembered(
        item,
        "preview.kernels",
        lambda: any(inner.name in ("gpu.launch", "gpu.module") for op in item.ops for inner in op.walk()),
    )


def _rendering(chunk: Chunk, view: View, version: int) -> Rendering[Any]:
    if view.stage == LLVM_IR:
        return AsLLVMIR.of((op for placed in chunk.items for op in placed.item.ops), version)
    return AsPTX() if view.stage == PTX else AsMLIR(view.text_only)


def _leaves_alone(step: Step, chunk: Chunk, before: Sequence[Step]) -> bool:
    """Return whether a pass has no effect on `chunk`.

    Outlining has no effect if there is no launch and the passes `before` create none, symbol-dce if there is
    neither a symbol with a visibility nor an unknown op."""
    if step.name == "symbol-dce":
        return not any(
            remembered(placed.item, "preview.symbols", lambda item=placed.item: _may_lose_symbols(item))
            for placed in chunk.items
        )
    if step.name != "gpu-kernel-outlining":
        return False
    made = any(other.name in _MAKES_LAUNCHES for other in before)
    return not any(
        remembered(placed.item, "preview.launches", lambda item=placed.item: _launches(item))
        or (made and remembered(placed.item, "preview.loops", lambda item=placed.item: _may_launch(item)))
        for placed in chunk.items
    )


_MAKES_LAUNCHES = frozenset({"convert-parallel-loops-to-gpu"})


def _launches(item: Item) -> bool:
    return any(inner.name == "gpu.launch" for op in item.ops for inner in op.walk())


def _may_launch(item: Item) -> bool:
    """Return whether passes can create launches from an item, because it has parallel loops or linalg ops."""
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


def _is_prepared(item: Item, steps: tuple[Step, ...], version: int, view: View) -> bool:
    kept = recent(item.memo, "preview.prepared")
    return kept.get(_prepared_key(steps, version, view)) is not None


def _prepared_key(steps: tuple[Step, ...], version: int, view: View) -> tuple[Pipeline, int, LoweringOptions]:
    return Pipeline(steps, whole_kernels=view.pipeline.whole_kernels), version, view.options


def _prepared(item: Item, steps: tuple[Step, ...], version: int, view: View) -> Item | None:
    """Return `item` after passes that work on single items; None after an error, or if ops remain
    unlowered."""
    key = _prepared_key(steps, version, view)
    kept = recent(item.memo, "preview.prepared")
    found = kept.get(key)
    if found is None:
        module = ModuleOp(Region(Block(clones(PlacedItem(item, 0)))))
        invocation = invoked(module, *key)
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
