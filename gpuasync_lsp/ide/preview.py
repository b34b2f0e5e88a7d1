"""The lowered code of a file, with the links between its lines and those of the source."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from xdsl.ir import Attribute, Operation

from gpuasync_lsp.ide.cancel import Cancel
from gpuasync_lsp.ide.state import FileState
from gpuasync_lsp.lowering import lower
from gpuasync_lsp.syntax import SourceLoc, module_of, source_span
from gpuasync_lsp.syntax.printer import MlirPrinter
from gpuasync_lsp.text import Span

STAGES = ("source", "gpu-to-llvm")
"""What a preview can show: the file as it was read, or what `mlir-opt --gpu-to-llvm` makes of it."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the lowering has to say, and the place it is about."""

    message: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Preview:
    """A lowered file."""

    text: str
    line_map: dict[int, list[int]]
    """For each source line, from 0, the lines of `text` that come from it."""
    notes: tuple[Note, ...]
    llvm: int
    stage: str


class UnknownStage(ValueError):
    """A preview of a stage that there is not; the message names those that there are."""


def preview(
    state: FileState, llvm: int | None = None, stage: str | None = None, cancel: Cancel | None = None
) -> Preview:
    """Return what the file lowers to, chunk by chunk, for its own LLVM version or for `llvm`.

    Where the release would stop with an error, the chunk is shown as it was before, with a note. Raises
    UnknownStage.
    """
    stage = stage or STAGES[-1]
    if stage not in STAGES:
        raise UnknownStage(f"there is no stage {stage!r}; known are {', '.join(STAGES)}")
    version = llvm or state.resolved.target.version
    cancel = cancel or Cancel()
    stream, notes = StringIO(), list[Note]()
    line_map: dict[int, list[int]] = {}
    for problem in state.source.problems():
        notes.append(Note(f"not read: {problem.message}", problem.span))
    for number, chunk in enumerate(state.source.chunks):
        cancel.check()
        module: Operation = module_of(chunk)
        if stage != "source":
            lowered = lower(module_of(chunk), version)
            module = lowered.module
            notes += [Note(f"{n.op_name} stays: {n.text}", _span(n.location)) for n in lowered.notes]
            if lowered.error is not None:
                text = f"LLVM {version} ends here: {lowered.error.text}"
                notes.append(Note(text, _span(lowered.error.location)))
        if number:
            stream.write("// -----\n")
        printer = _LinkingPrinter(stream)
        printer.print_op(module)
        stream.write("\n")
        for row, span in printer.places:
            line_map.setdefault(state.lines.position(span.start)[0], []).append(row)
    return Preview(stream.getvalue(), line_map, tuple(notes), version, stage)


class _LinkingPrinter(MlirPrinter):
    """Remembers on which line it printed an op, and what of the source that op came from."""

    def __init__(self, stream: StringIO) -> None:
        super().__init__(stream)
        self.places: list[tuple[int, Span]] = []
        self._text = stream
        self._row = stream.getvalue().count("\n")
        self._counted = stream.tell()

    def print_op(self, op: Operation) -> None:
        """Print an op, and remember its line."""
        span = source_span(op)
        if span is not None:
            self.places.append((self._current_row(), span))
        super().print_op(op)

    def _current_row(self) -> int:
        # Only what was written since the last op is looked at.
        end = self._text.tell()
        self._text.seek(self._counted)
        self._row += self._text.read().count("\n")
        self._counted = end
        return self._row


def _span(location: Attribute) -> Span | None:
    return location.span if isinstance(location, SourceLoc) else None
