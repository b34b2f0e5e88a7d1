"""Prints a module and records the source of every line, using the locations of ops.

Comments and streams are stored separately from the text, because they refer to source locations, which an
edit before them may move.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Literal, NamedTuple

from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.pipeline.explain import FUNCTIONS, Comment, Explained, called
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.printer import MlirPrinter, Names
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.cached_property import cached_property


class Place(NamedTuple):
    """The printed line of an op, and the op's source span."""

    row: int
    """The 0-based line on which the op starts."""
    span: Span


class Mark(NamedTuple):
    """A name in printed text that refers to a stream, to an event on a stream, or to a call that uses one."""

    row: int
    column: int
    length: int
    """The length in code points; `column` is in code points too."""
    stream: int
    """The number of the stream in its function, as used in comments."""


class Fold(NamedTuple):
    """A foldable range of lines, including `first` and `last`."""

    first: int
    last: int
    what: Literal["function", "kernels", "declarations"]


@dataclass(frozen=True)
class Printed:
    """A printed module, with the sources of its lines."""

    text: str
    places: tuple[Place, ...]
    """The printed line and source span of each op with a known source, in text order."""
    marks: tuple[Mark, ...] = ()
    """The names that refer to streams, in text order."""
    comments: tuple[tuple[int, Comment], ...] = ()
    """The comments, each with the line of its op."""
    heads: Mapping[Span, int] = field(default_factory=dict[Span, int])
    """Maps each source op to the main line of its lowering: its first runtime call, or else its first op."""
    memo: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)
    """Results that other modules memoize for this text."""

    @cached_property
    def rows(self) -> int:
        """The number of lines of the text."""
        return self.text.count("\n")

    @cached_property
    def by_start(self) -> dict[int, list[int]]:
        """Maps the start offset of each source op to the lines lowered from it."""
        found: dict[int, list[int]] = {}
        for row, span in self.places:
            found.setdefault(span.start, []).append(row)
        return found

    @cached_property
    def sources(self) -> dict[int, Span]:
        """Maps each line on which an op starts to the source of the outermost op that starts there."""
        found: dict[int, Span] = {}
        for place in self.places:
            found.setdefault(place.row, place.span)
        return found

    def head_of(self, offset: int) -> int | None:
        """Return the main line of the innermost source op that contains `offset`."""
        spans = self._spans
        for span in reversed(spans[: bisect_right(spans, offset, key=lambda span: span.start)]):
            # Of the ops that contain an offset, the innermost starts last.
            if offset < span.end:
                return self.heads[span]
        return None

    @cached_property
    def encoded_marks(self) -> list[int]:
        """The marks in the encoding of semantic tokens, four numbers each, relative to the previous mark.

        The numbers are: rows; columns (relative to the start of a new row); length; stream."""
        numbers: list[int] = []
        row = column = 0
        for mark in self.marks:
            numbers += (mark.row - row, mark.column - (column if mark.row == row else 0), *mark[2:])
            row, column = mark.row, mark.column
        return numbers

    @cached_property
    def extent(self) -> Span:
        """The source span that covers all ops with a main line; there must be one."""
        spans = self._spans
        return Span(spans[0].start, max(span.end for span in spans))

    @cached_property
    def _spans(self) -> list[Span]:
        return sorted(self.heads, key=lambda span: (span.start, -span.end))

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """The foldable ranges: functions, kernel modules and declarations of the module, even of one line."""
        return tuple(_folds(self.text))

    def rows_between(self, first: int, end: int) -> Printed:
        """Return the lines from `first` up to, but excluding, `end` as a separate `Printed`."""
        lines = self.text.split("\n")[first:end]
        return Printed(
            "".join(f"{line}\n" for line in lines),
            tuple(each._replace(row=each.row - first) for each in self.places if first <= each.row < end),
            tuple(each._replace(row=each.row - first) for each in self.marks if first <= each.row < end),
            tuple((row - first, comment) for row, comment in self.comments if first <= row < end),
            {span: row - first for span, row in self.heads.items() if first <= row < end},
        )


def print_with_places(
    op: Operation, names: Names = Names.MLIR, explained: Explained | None = None
) -> Printed:
    """Print `op` like `print_module`; record the source of each line, and the comments in `explained`."""
    printer = _PlacingPrinter(names, explained or Explained())
    printer.print_op(op)
    return Printed(
        printer.text + "\n",
        tuple(printer.places),
        tuple(sorted(printer.marks)),
        tuple(printer.comments),
        printer.firsts | printer.calls,
    )


class Part(NamedTuple):
    """A separately printed part of a module; its source offsets are relative to `shift`."""

    printed: Printed
    shift: int = 0
    """The source position of offset 0 in `printed`."""


def assembled(parts: Iterable[Part]) -> Printed:
    """Concatenate `parts` into one `Printed`."""
    parts = list(parts)
    places: list[Place] = []
    marks: list[Mark] = []
    comments: list[tuple[int, Comment]] = []
    heads: dict[Span, int] = {}
    row = 0
    for printed, shift in parts:
        places += [Place(row + at, span.shift(shift)) for at, span in printed.places]
        marks += [Mark(row + at, column, length, stream) for at, column, length, stream in printed.marks]
        comments += [(row + at, comment.shift(shift)) for at, comment in printed.comments]
        for span, at in printed.heads.items():
            heads.setdefault(span.shift(shift), row + at)
        row += printed.rows
    text = "".join(part.printed.text for part in parts)
    return Printed(text, tuple(places), tuple(marks), tuple(comments), heads)


_NAME = re.compile(r"[%@][\w$.-]+")


def marks_in(text: str, row: int, streams: Mapping[str, int]) -> list[Mark]:
    """Return the marks on a line of text; `streams` maps value names to stream numbers.

    A runtime call is marked with the first stream on its line."""
    names = [name for name in _NAME.finditer(text) if name[0] in streams or name[0].startswith("@mgpu")]
    first = next((streams[name[0]] for name in names if name[0] in streams), None)
    if first is None:
        return []
    return [Mark(row, name.start(), len(name[0]), streams.get(name[0], first)) for name in names]


_TOP = re.compile(
    r"^(?P<indent> *)(?:(?P<kernels>gpu\.(?:module|binary))|(?:llvm|func)\.func|define|declare"
    r"|(?P<module>; ----- gpu\.module)|(?:\.visible |\.weak )*\.(?:entry|func))\b.*$",
    re.MULTILINE,
)
_DEPTH = 2
"""The maximum indentation of a module's top-level ops."""


def _folds(text: str) -> Iterator[Fold]:
    """Find the functions, kernel modules and declarations in a module's text, written by any printer."""
    end = row = at = 0
    for top in _TOP.finditer(text):
        indent = top["indent"]
        if top.start() < end or len(indent) > _DEPTH:
            continue
        row += text.count("\n", at, top.start())
        at = top.start()
        if top["module"]:
            # The LLVM IR of a kernel module ends where the next one begins.
            end = text.find(f"\n{top['module']}", top.end()) + 1 or len(text)
            yield Fold(row, row + text.count("\n", at, end) - 1, "kernels")
            continue
        opens = top[0].rstrip().endswith(("{", "("))
        close = text.find(f"\n{indent}}}", top.end()) if opens else -1
        last = row if close < 0 else row + text.count("\n", at, close) + 1
        end = max(close, top.end())
        if top["kernels"]:
            yield Fold(row, last, "kernels")
        else:
            yield Fold(row, last, "function" if opens else "declarations")


class _PlacingPrinter(MlirPrinter):
    """A printer that records the line of each op, and the names that refer to streams."""

    def __init__(self, names: Names, explained: Explained) -> None:
        self._explained = explained
        super().__init__(StringIO(), names)
        self.places: list[Place] = []
        self.marks: list[Mark] = []
        self.comments: list[tuple[int, Comment]] = []
        self.firsts: dict[Span, int] = {}
        self.calls: dict[Span, int] = {}
        self._line_start = 0
        # Keyed by identity, because hashing a value calls Python code.
        self._streams = {id(value): stream for value, stream in self._explained.streams.items()}
        self._location: Attribute | None = None
        self._span: Span | None = None

    @property
    def text(self) -> str:
        return self._out.getvalue()

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
            self._line_start = self._out.tell() - self._current_column
        else:
            self._out.write(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        super()._print_new_line(indent, print_message)
        self._line_start = self._out.tell() - self._current_column

    def print_op(self, op: Operation) -> None:
        if op.location is not self._location:  # Adjacent ops often share one.
            self._location, self._span = op.location, source_span(op)
        span = self._span
        row = self._current_line
        if span is not None:
            self.places.append(Place(row, span))
        comment = self._explained.comments.get(op)
        if comment is not None:
            self.comments.append((row, comment))
        name = called(op)
        if span is not None:
            if name.startswith("mgpu") or type(op) is LaunchFuncOp:
                self.calls.setdefault(span, row)
            elif op.name not in FUNCTIONS or op.regions[0].blocks:
                self.firsts.setdefault(span, row)
        start = self._out.tell()
        super().print_op(op)
        stream = self._explained.stream_of(op) if name and self._explained.streams else None
        if stream is not None:
            self._out.seek(start)
            at = start + self._out.read().index(f"@{name}")
            self.marks.append(Mark(row, at - self._line_start, len(name) + 1, stream))

    def print_ssa_value(self, value: SSAValue) -> str:
        if id(value) in self._streams:
            self._mark(value)
        return super().print_ssa_value(value)

    def _print_results(self, op: Operation) -> None:
        if len(op.results) == 1 and id(op.results[0]) in self._streams:
            self._mark(op.results[0])
        super()._print_results(op)

    def _mark(self, value: SSAValue) -> None:
        """Record that the next printed name, that of `value`, refers to a stream."""
        column = self._out.tell() - self._line_start
        length = len(self._name(value)) + 1
        self.marks.append(Mark(self._current_line, column, length, self._streams[id(value)]))
