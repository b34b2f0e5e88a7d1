"""Converts an op between its custom and its generic assembly; value names are kept."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from xdsl.ir import Operation
from xdsl.printer import Printer

from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import MlirPrinter
from gpuasync_lsp.text import Edit, Span


def convert_form(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for a parsed op without regions and successors."""
    op, spans = place.op, place.placed.item.spans
    if isinstance(op, OpaqueOp) or op.regions or op.successors:
        return
    name, whole = spans.name(op), spans.op(op)
    span = Span(name.start, whole.end)
    written = span.of(spans.text)
    generic = written.startswith('"')
    text = _custom(place, op) if generic else _generic(place, op)
    if text.startswith('"') == generic or "<unnamed>" in text:
        return
    title = "Convert to custom form" if generic else "Convert to generic form"
    yield title, (Edit(span, text),)


def _generic(place: Place, op: Operation) -> str:
    stream = StringIO()
    printer = Printer(stream, print_generic_format=True)
    _name(printer, place, op)
    printer.print_op(op)
    return _without_results(op, stream.getvalue())


def _custom(place: Place, op: Operation) -> str:
    stream = StringIO()
    printer = MlirPrinter(stream)
    _name(printer, place, op)
    printer.print_op(op)
    return _without_results(op, stream.getvalue())


def _name(printer: Printer, place: Place, op: Operation) -> None:
    spans = place.placed.item.spans
    for value in (*op.operands, *op.results):
        printer._ssa_values[value] = spans.value_name(value).removeprefix("%")  # pyright: ignore[reportPrivateUsage]


def _without_results(op: Operation, text: str) -> str:
    return text.partition(" = ")[2] if op.results else text
