"""Removes elements from the lists in an op's text: result names, operands and types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.ide.reduce.elements import closing, pieces, split, type_end
from gpuasync_lsp.syntax import PlacedItem
from gpuasync_lsp.text import Edit, Span

_ARROW = re.compile(r"\s*->\s*")


def replaced(placed: PlacedItem, values: Sequence[SSAValue], name: str) -> list[Edit] | None:
    """Return edits that replace each use of the values with `name`; None if a use has no span."""
    found: list[Edit] = []
    for value in values:
        for use in value.uses:
            place = placed.item.spans.operand(use.operation, use.index)
            if place is None:
                return None
            found.append(Edit(place.shift(placed.offset), name))
    return found


def without_name(text: str, placed: PlacedItem, op: Operation, number: int) -> list[Edit] | None:
    """Return the edits that remove a result's name, and renumber later results of its group."""
    spans = placed.item.spans
    start = spans.op(op).start + placed.offset
    end = text.find("=", start, spans.name(op).start + placed.offset)
    if end < 0:
        return None
    found: list[Edit] = []
    kept: list[str] = []
    first = 0
    for piece in pieces(text, start, end, ","):
        name, _, size = piece.of(text).partition(":")
        count = int(size) if size.strip().isdecimal() and len(size) < 6 else 1
        if not first <= number < first + count:
            kept.append(piece.of(text))
        elif count > 1:
            kept.append(f"{name}:{count - 1}")
            for later in range(number + 1, first + count):
                renamed = replaced(placed, [op.results[later]], f"{name}#{later - first - 1}")
                if renamed is None:
                    return None
                found += renamed
        first += count
    if first != len(op.results):
        return None
    return [*found, Edit(Span(start, end + 1), f"{', '.join(kept)} =" if kept else "")]


def without_type(text: str, at: int, number: int, empty: str) -> Edit | None:
    """Return the edits that remove a type from `-> (types)` or `-> type` at `at`; `empty` replaces the last
    type."""
    arrow = _ARROW.match(text, at)
    if arrow is None:
        return None
    if text[arrow.end() : arrow.end() + 1] == "(":
        parts, end = split(text, arrow.end()), closing(text, arrow.end())
        if parts is None or end is None or number >= len(parts):
            return None
        kept = ", ".join(part.of(text) for position, part in enumerate(parts) if position != number)
        return Edit(Span(at, end + 1), f" -> ({kept})" if kept else empty)
    last = type_end(text, arrow.end())
    return None if last is None or number else Edit(Span(at, last), empty)


def without_operand(
    text: str, placed: PlacedItem, op: Operation, number: int, behind: int | None = None
) -> list[Edit] | None:
    """Return the edits that remove an operand and its type from `NAME %a, %b : t, u`.

    The list starts after the position `behind`."""
    spans = placed.item.spans
    if op not in spans.ops:
        return None
    start, end = (at + placed.offset for at in (spans.name(op).end, spans.op(op).end))
    start = start if behind is None else behind
    halves = pieces(text, start, end, ":")
    if len(halves) != 2:
        return None
    lists = [pieces(text, half.start, half.end, ",") for half in halves]
    if len(lists[0]) != len(lists[1]) or number >= len(lists[0]):
        return None
    if len(lists[0]) == 1:
        return [Edit(Span(start, end), "")]
    return [Edit(with_comma(each, number), "") for each in lists]


def with_comma(parts: Sequence[Span], number: int) -> Span:
    """Return the span of a list element with the comma after it, or before it for the last element."""
    if number + 1 < len(parts):
        return Span(parts[number].start, parts[number + 1].start)
    return Span(parts[number - 1].end, parts[number].end)
