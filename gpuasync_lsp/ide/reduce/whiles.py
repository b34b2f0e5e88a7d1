"""Removes values that an `scf.while` carries, or forwards to its after region, one by one.

    %r:2 = scf.while (%x = %a, %t = %b) : (A, B) -> (C, D) {
      scf.condition(%c) %u, %v : C, D
    } do {
    ^bb0(%y: C, %z: D):
      scf.yield %p, %q : A, B
    }

A removed carried value is replaced with its initial value inside the loop. A removed forwarded value must be
unused in the after region and after the loop, or have the type of an initial value, which then replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.ide.reduce.elements import closing, split
from gpuasync_lsp.ide.reduce.listed import replaced, with_comma, without_name, without_operand, without_type
from gpuasync_lsp.syntax import PlacedItem
from gpuasync_lsp.text import Edit, Span

_INITIAL = re.compile(r"\s*\(")
_TYPES = re.compile(r"\s*:\s*\(")


def count(loop: Operation) -> int:
    """Return the number of values that an `scf.while` carries and forwards together."""
    return len(loop.operands) + len(loop.results)


def without_value(text: str, placed: PlacedItem, loop: Operation, number: int) -> list[Edit] | None:
    """Return the edits that remove a value of the loop; None if the loop is written in an unusual form.

    `number` counts the carried values, then the forwarded ones.
    """
    before, after = (region.blocks.first for region in loop.regions)
    if before is None or after is None or before.last_op is None or after.last_op is None:
        return None
    head = _head(text, placed, loop)
    if head is None:
        return None
    if number < len(loop.operands):
        return _carried(text, placed, before, after.last_op, number, head)
    return _handed_on(text, placed, loop, (before.last_op, after), number - len(loop.operands), head)


class _Head(NamedTuple):
    """The lists of initial values and of their types in the text of an `scf.while`."""

    values: list[Span]
    types: list[Span]
    whole: Span
    """The list of initial values with its parentheses."""
    behind: int
    """The position after the types' last parenthesis."""

    def name(self, text: str, number: int) -> str:
        return self.values[number].of(text).partition("=")[2].strip()


def _head(text: str, placed: PlacedItem, loop: Operation) -> _Head | None:
    at = placed.item.spans.name(loop).end + placed.offset
    opening = _INITIAL.match(text, at)
    last = None if opening is None else closing(text, opening.end() - 1)
    whole = Span(at, at) if opening is None or last is None else Span(opening.end() - 1, last + 1)
    types = _TYPES.match(text, whole.end)
    behind = None if types is None else closing(text, types.end() - 1)
    if types is None or behind is None:
        return None
    values = [] if opening is None else split(text, opening.end() - 1)
    listed = split(text, types.end() - 1)
    if values is None or listed is None or not len(values) == len(listed) == len(loop.operands):
        return None
    return _Head(values, listed, whole, behind + 1)


def _carried(
    text: str, placed: PlacedItem, before: Block, end: Operation, number: int, head: _Head
) -> list[Edit] | None:
    name = head.name(text, number)
    uses = replaced(placed, [before.args[number]], name)
    given = without_operand(text, placed, end, number)
    if uses is None or given is None or not name.startswith("%"):
        return None
    if len(head.values) == 1:
        return [*uses, *given, Edit(head.whole, ""), Edit(head.types[0], "")]
    return [*uses, *given, *(Edit(with_comma(each, number), "") for each in (head.values, head.types))]


def _handed_on(
    text: str, placed: PlacedItem, loop: Operation, ends: tuple[Operation, Block], number: int, head: _Head
) -> list[Edit] | None:
    condition, after = ends
    if condition.name != "scf.condition" or number >= len(after.args):
        return None
    uses = _uses(text, placed, loop, [loop.results[number], after.args[number]], head)
    names = without_name(text, placed, loop, number)
    types = without_type(text, head.behind, number, " -> ()")
    label = _without_argument(text, placed, after, number)
    given = _without_condition(text, placed, condition, number)
    if uses is None or names is None or types is None or label is None or given is None:
        return None
    return [*uses, *names, types, label, *given]


def _uses(
    text: str, placed: PlacedItem, loop: Operation, values: Sequence[SSAValue], head: _Head
) -> list[Edit] | None:
    if not any(value.uses for value in values):
        return []
    same = (n for n, operand in enumerate(loop.operands) if operand.type == values[0].type)
    name = next((head.name(text, number) for number in same), "")
    return replaced(placed, values, name) if name.startswith("%") else None


def _without_argument(text: str, placed: PlacedItem, block: Block, number: int) -> Edit | None:
    label = placed.item.spans.block_label(block)
    if label is None:
        return None
    opening = text.find("(", label.start + placed.offset, label.end + placed.offset + 1)
    parts = None if opening < 0 else split(text, opening)
    if parts is None or number >= len(parts):
        return None
    if len(parts) == 1:
        return Edit(Span(opening, parts[0].end + text[parts[0].end :].index(")") + 1), "")
    return Edit(with_comma(parts, number), "")


def _without_condition(text: str, placed: PlacedItem, condition: Operation, number: int) -> list[Edit] | None:
    """Return the edits that remove an operand from `scf.condition(%c) %u, %v : C, D`."""
    opening = text.find("(", placed.item.spans.name(condition).end + placed.offset)
    last = None if opening < 0 else closing(text, opening)
    return None if last is None else without_operand(text, placed, condition, number, last + 1)
