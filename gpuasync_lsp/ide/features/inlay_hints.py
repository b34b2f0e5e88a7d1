"""Inlay hints with the stream or event of each token at its definition, and with hidden result types.

A hint has edits if MLIR has syntax for it: the type of a literal, `arith.constant 42 : i64`. Streams
have no syntax, and the result types of other ops are implied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import OpResult, SSAValue

from gpuasync_lsp.ide.document.options import EditorOptions
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.streams.words import facts, function_with, label
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.source import Item, PlacedItem
from gpuasync_lsp.text import Edit, Span
from gpuasync_lsp.text.defects import one_by_one

_LITERAL = re.compile(r"arith\.constant\s+-?(?:\d[\w.]*(?:[eE][-+]?\d+)?)")


@dataclass(frozen=True, slots=True)
class Hint:
    """A label that is displayed after a position."""

    offset: int
    text: str
    tooltip: str
    is_type: bool
    edits: tuple[Edit, ...] = ()
    """The edits that write the label into the text; empty if MLIR has no syntax for it."""


def inlay_hints(state: FileState, within: Span, options: EditorOptions) -> Iterator[Hint]:
    """Yield the hints inside `within`, by item in text order."""
    placed_there = (p for p in state.source.items if within.start <= p.span.end and p.offset <= within.end)
    return one_by_one("the hints of an item", placed_there, lambda p: _of_item(state, p, within, options))


def _of_item(state: FileState, placed: PlacedItem, within: Span, options: EditorOptions) -> Iterator[Hint]:
    functions = state.models(placed) if options.hint_streams else []

    def of_value(defined: tuple[int, SSAValue]) -> Iterator[Hint]:
        place, value = defined
        if isinstance(value.type, AsyncTokenType):
            function = function_with(functions, value)
            handle = None if function is None else function.handle(value)
            if function is not None and handle is not None:
                about = "\n".join(facts(function, handle))
                yield Hint(place, f": {label(function, handle)}", about, False)
        elif options.hint_types and _hidden(placed.item, value):
            yield Hint(place, f": {attribute_text(value.type)}", "", True, tuple(_written(placed, value)))

    return one_by_one("a hint", _definitions(placed, within), of_value)


def _definitions(placed: PlacedItem, within: Span) -> list[tuple[int, SSAValue]]:
    """Return the values named inside `within`, with the end of each name, in order."""
    item, part = placed.item, within.shift(-placed.offset)
    defined = (
        (place.end + placed.offset, value)
        for op in item.spans.within(item.ops, part)
        for value in item.spans.defined_by(op, part)
        if (place := item.spans.result(value)) is not None
    )
    return sorted((found for found in defined if within.contains(found[0])), key=lambda found: found[0])


def _hidden(item: Item, value: SSAValue) -> bool:
    """Return whether the text of the defining op omits the type of its result."""
    if not isinstance(value, OpResult) or isinstance(value.type, UnknownType):
        return False
    places = item.spans.ops.get(value.op)
    return places is not None and attribute_text(value.type) not in places.whole.of(item.text)


def _written(placed: PlacedItem, value: SSAValue) -> Iterator[Edit]:
    """Yield the edit that adds the type of a literal."""
    item = placed.item
    if isinstance(value, OpResult) and value.op in item.spans.ops:
        span = item.spans.op(value.op)
        if _LITERAL.fullmatch(item.text, item.spans.name(value.op).start, span.end):
            end = span.end + placed.offset
            yield Edit(Span(end, end), f" : {attribute_text(value.type)}")
