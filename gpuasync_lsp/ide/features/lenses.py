"""Code lenses above each function that can be run or has gpu work, above RUN lines, and above an IR dump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.ide.document.sections_shown import is_dump
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.runlines.script import read_script
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.ide.streams.model import counted
from gpuasync_lsp.syntax.dialects.func import FuncOp
from gpuasync_lsp.syntax.source import PlacedItem
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.defects import one_by_one


@dataclass(frozen=True, slots=True)
class Lens:
    """A line above a function, a RUN line or a dump, with its text and its command."""

    span: Span
    title: str
    command: str
    function: str = ""
    device: str = ""
    """The device on which the lens runs the function."""
    line: int | None = None
    """The 1-based line of a single RUN line to run."""


def lenses(state: FileState) -> Iterator[Lens]:
    """Yield the lenses of a file, in text order. Nothing can be run in a chunk that does not parse."""
    if is_dump(state.text):
        yield Lens(Span(0, 0), "Show what each pass did", "gpuasync.passes")
    yield from _of_tests(state)
    for chunk in state.source.chunks:
        parses = not any(placed.item.problems for placed in chunk.items)
        of_item = partial(_of_item, state, parses=parses)
        yield from one_by_one("the lenses of an item", chunk.items, of_item)


def _of_item(state: FileState, placed: PlacedItem, *, parses: bool) -> Iterator[Lens]:
    # Imported here because it loads the lowering, which is not needed before the first lens.
    from gpuasync_lsp.exec.prepare import can_run

    models = {model.op: model for model in state.models(placed) if model.ops or model.given}
    for function in _functions(placed.item.ops):
        if function not in placed.item.spans.ops:
            continue
        model, runs = models.get(function), parses and can_run(function)
        span = placed.item.spans.name(function).shift(placed.offset)
        name = function.sym_name.data
        if model is not None:
            streams = counted(len(model.streams), [each.given_as for each in model.given])
            yield Lens(span, f"LLVM {state.profile.version}: {streams}", "gpuasync.streams", name)
        if runs:
            yield Lens(span, "Run on GPU", "gpuasync.run", name, "cuda")
            yield Lens(span, "Run on CPU", "gpuasync.run", name, "cpu")
        if model is not None or runs:
            yield Lens(span, "Preview", "gpuasync.preview", name)


def _of_tests(state: FileState) -> Iterator[Lens]:
    """Yield the lenses of RUN lines; the first lens runs all RUN lines, any further one a single line."""
    try:
        runs = read_script(state.lines).runs
    except Unsupported:
        return
    for number, run in enumerate(runs):
        start = state.lines.starts[run.line - 1]
        span = Span(start, state.lines.line_end(run.line - 1))
        if state.text.startswith("//", start):
            if number == 0:
                yield Lens(span, "Run this test", "gpuasync.test")
            if len(runs) > 1:
                yield Lens(span, "Run this line", "gpuasync.test", line=run.line)


def _functions(ops: Iterable[Operation]) -> Iterator[FuncOp]:
    """Yield the host functions in `ops`, nested modules included."""
    for op in ops:
        if isinstance(op, FuncOp):
            yield op
        elif isinstance(op, ModuleOp):
            for block in op.body.blocks:  # The verifier reports several blocks.
                yield from _functions(block.ops)
