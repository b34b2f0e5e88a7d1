"""Removes results of ops and loop-carried values one by one, with their types, yields, returns and calls.

A loop-carried value is replaced with its initial value, inside and after the loop. A function's result is
removed if no call uses it; other removals may have replaced the uses (`cuts.without_ops`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from gpuasync_lsp.ide.reduce import whiles
from gpuasync_lsp.ide.reduce.elements import closing, split, users
from gpuasync_lsp.ide.reduce.listed import replaced, without_name, without_operand, without_type
from gpuasync_lsp.syntax import PlacedItem, SourceFile, parse_source
from gpuasync_lsp.text import Edit, Span, apply_edits

_LOOPS = frozenset({"scf.for", "affine.for"})
_CARRIED = re.compile(r"\biter_args\s*\(")
_NAMED_LIST = re.compile(r"@[\w$.-]+\(")


def fewer_results(text: str) -> Iterator[str]:
    """Yield `text` with one fewer result of a loop, a branch or a function."""
    source = parse_source(text)
    for placed in source.items:
        for op in placed.item.ops:
            for each in op.walk():
                if each not in placed.item.spans.ops:
                    continue
                for number in range(_count(each)):
                    edits = _edits(source, placed, each, number)
                    if edits is not None and (shorter := _applied(text, edits)) is not None:
                        yield shorter


def _count(op: Operation) -> int:
    if op.name == "func.func":
        returns = _returns(op)
        return len(returns[0].operands) if returns else 0
    if op.name == "scf.while":
        return whiles.count(op)
    return len(op.results) if op.name in _LOOPS or op.name == "scf.if" else 0


def _returns(function: Operation) -> list[Operation]:
    return [op for op in function.walk() if op.name == "func.return"]


def _applied(text: str, edits: Sequence[Edit]) -> str | None:
    gone = [edit.span for edit in edits if not edit.text]
    kept = {edit for edit in edits if not any(_is_in(edit.span, span) for span in gone)}
    ordered = sorted(kept, key=lambda edit: edit.span)
    if any(one.span.end > other.span.start for one, other in pairwise(ordered)):
        return None
    return apply_edits(text, ordered)


def _is_in(span: Span, other: Span) -> bool:
    return span != other and other.start <= span.start and span.end <= other.end


def _edits(source: SourceFile, placed: PlacedItem, op: Operation, number: int) -> list[Edit] | None:
    """Return the edits that remove a result; None if the op is written in an unusual form."""
    if op.name == "func.func":
        return _of_function(source, placed, op, number)
    text = source.text
    if op.name == "scf.while":
        return whiles.without_value(text, placed, op, number)
    ends = [region.blocks.last and region.blocks.last.last_op for region in op.regions if region.blocks.first]
    given = [None if end is None else without_operand(text, placed, end, number) for end in ends]
    names = without_name(text, placed, op, number)
    if names is None or None in given:
        return None
    found = [*names, *(edit for each in given if each is not None for edit in each)]
    at = placed.item.spans.name(op).end + placed.offset
    if op.name in _LOOPS:
        carried = _not_carried(text, placed, op, number)
        if carried is None:
            return None
        edits, at = carried
        found += edits
    elif op.results[number].uses:
        return None
    else:
        at = _after_condition(placed, op)
    types = without_type(text, at, number, "")
    return None if types is None else [*found, types]


def _after_condition(placed: PlacedItem, op: Operation) -> int:
    place = placed.item.spans.operand(op, 0)
    return placed.offset + (placed.item.spans.name(op) if place is None else place).end


def _not_carried(text: str, placed: PlacedItem, op: Operation, number: int) -> tuple[list[Edit], int] | None:
    """Return the edits that remove a loop-carried value, and the position after the `iter_args` list."""
    name = placed.item.spans.name(op).end + placed.offset
    end = placed.item.spans.op(op).end + placed.offset
    opening = _CARRIED.search(text, name, end)
    parts = None if opening is None else split(text, opening.end() - 1)
    if opening is None or parts is None or number >= len(parts):
        return None
    argument = list(op.regions[0].blocks.first.args)[1 + number] if op.regions[0].blocks.first else None
    initial = parts[number].of(text).partition("=")[2].strip()
    uses = replaced(placed, [op.results[number], *([argument] if argument else [])], initial)
    if not initial.startswith("%") or uses is None:
        return None
    kept = [part.of(text) for at, part in enumerate(parts) if at != number]
    behind = parts[-1].end + text[parts[-1].end :].index(")") + 1
    whole = Span(opening.start(), behind)
    return [*uses, Edit(whole, f"iter_args({', '.join(kept)})" if kept else "")], behind


def _of_function(
    source: SourceFile, placed: PlacedItem, function: Operation, number: int
) -> list[Edit] | None:
    text, symbol = source.text, function.properties.get("sym_name")
    if not isinstance(symbol, StringAttr):
        return None
    opening = _NAMED_LIST.search(text, placed.item.spans.name(function).end + placed.offset)
    end = None if opening is None else closing(text, opening.end() - 1)
    types = None if end is None else without_type(text, end + 1, number, "")
    if types is None:
        return None
    found = [types]
    for op in _returns(function):
        given = without_operand(text, placed, op, number)
        if given is None:
            return None
        found += given
    for user in users(source, symbol.data):
        edits = _of_call(text, user.placed, user.op, number)
        if edits is None:
            return None
        found += edits
    return found


def _of_call(text: str, placed: PlacedItem, call: Operation, number: int) -> list[Edit] | None:
    spans = placed.item.spans
    if call.name != "func.call" or call not in spans.ops or call.results[number].uses:
        return None
    end = spans.op(call).end + placed.offset
    begin = text.rfind("->", spans.name(call).end + placed.offset, end)
    while text[begin - 1 : begin].isspace():
        begin -= 1
    names = without_name(text, placed, call, number)
    types = None if begin < 0 else without_type(text, begin, number, " -> ()")
    return None if names is None or types is None else [*names, types]
