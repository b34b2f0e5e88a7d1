"""Printing a module so that every line knows its source, by the provenance that ops carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, TypeAttribute

from gpuasync_lsp.syntax.printer import MlirPrinter, Names
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.text import Span


class Place(NamedTuple):
    """An op on a line of printed text, and the source text that it comes from."""

    row: int
    """The line on which the op starts, from 0."""
    span: Span


@dataclass(frozen=True)
class Printed:
    """A printed module and where its ops come from."""

    text: str
    places: tuple[Place, ...]
    """In the order of the text; one for each op that has a source."""

    @cached_property
    def rows(self) -> int:
        """How many lines the text has."""
        return self.text.count("\n")

    @cached_property
    def by_start(self) -> dict[int, list[int]]:
        """For each source offset that an op starts at, the lines of its ops."""
        found: dict[int, list[int]] = {}
        for row, span in self.places:
            found.setdefault(span.start, []).append(row)
        return found

    @cached_property
    def sources(self) -> dict[int, Span]:
        """The source of each line that an op starts on; of several ops the outermost."""
        found: dict[int, Span] = {}
        for place in self.places:
            found.setdefault(place.row, place.span)
        return found

    def rows_of(self, offset: int) -> list[int]:
        """Return the lines that come from the innermost source op around `offset`."""
        around = [place.span for place in self.places if place.span.contains(offset)]
        if not around:
            return []
        innermost = min(around, key=lambda span: span.end - span.start)
        return [place.row for place in self.places if place.span == innermost]


def print_with_places(
    op: Operation, names: Names = Names.MLIR, comments: Mapping[Operation, str] | None = None
) -> Printed:
    """Print `op` as `print_module` does, with `comments` behind ops; return where each line comes from."""
    printer = _PlacingPrinter(names, comments or {})
    printer.print_op(op)
    return Printed(printer.text + "\n", tuple(printer.places))


class Part(NamedTuple):
    """A printed text that was made by itself, its source offsets counted from somewhere in the source."""

    printed: Printed
    shift: int = 0
    """Where in the source its offsets are counted from."""


def assembled(parts: Iterable[Part]) -> Printed:
    """Return `parts` one below the other."""
    parts = list(parts)
    places: list[Place] = []
    row = 0
    for printed, shift in parts:
        places += [Place(row + place.row, place.span.shift(shift)) for place in printed.places]
        row += printed.rows
    return Printed("".join(part.printed.text for part in parts), tuple(places))


class _PlacingPrinter(MlirPrinter):
    """Remembers the line on which it printed an op, and how it printed a type.

    A preview prints tens of thousands of short strings: they go to the stream without a detour."""

    def __init__(self, names: Names, comments: Mapping[Operation, str]) -> None:
        self._comments = comments
        self._out = StringIO()
        super().__init__(self._out, names)
        self.places: list[Place] = []
        self._printed: dict[int, tuple[Attribute, str]] = {}

    @property
    def text(self) -> str:
        """What was printed."""
        return self._out.getvalue()

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._out.write(text)

    def print_attribute(self, attribute: Attribute) -> None:
        if not isinstance(attribute, TypeAttribute):
            super().print_attribute(attribute)
            return
        # Comparing nested types costs more than printing them: they are known by identity, and kept alive.
        known = self._printed.get(id(attribute))
        if known is not None:
            self._out.write(known[1])
            return
        start = self._out.tell()
        super().print_attribute(attribute)
        self._out.seek(start)
        self._printed[id(attribute)] = attribute, self._out.read()

    def print_op(self, op: Operation) -> None:
        span = source_span(op)
        if span is not None:
            self.places.append(Place(self._current_line, span))
        super().print_op(op)
        comment = self._comments.get(op)
        if comment:
            self.print_string(f"  // {comment}")
