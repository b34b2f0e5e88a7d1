"""Where the values, ops and blocks of an item are mentioned in its text; offsets are relative to the item."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.text import Span


class Mention(NamedTuple):
    """One place that names a value."""

    span: Span
    value: SSAValue
    defines: bool


class BlockMention(NamedTuple):
    """One place that names a block."""

    span: Span
    block: Block
    defines: bool


class _Index(NamedTuple):
    mentions: list[Mention]
    by_value: dict[SSAValue, list[Mention]]
    ops: list[tuple[Span, Operation]]
    """By their begin, outer ops before inner ones."""


def mentions(item: Item) -> list[Mention]:
    """Return every mention of a value, in text order."""
    return _index(item).mentions


def mentions_of(item: Item, value: SSAValue) -> list[Mention]:
    """Return the mentions of one value, in text order, its definition included."""
    return _index(item).by_value.get(value, [])


def mention_at(item: Item, offset: int) -> Mention | None:
    """Return the mention that `offset` is in or at the end of."""
    found = _index(item).mentions
    at = bisect_right(found, offset, key=lambda m: m.span.start) - 1
    if at < 0 or not found[at].span.contains(offset):
        return None
    # Results of one op may share a definition (`%m:2`); the first stands for all.
    while at > 0 and found[at - 1].span == found[at].span:
        at -= 1
    return found[at]


def op_at(item: Item, offset: int) -> Operation | None:
    """Return the innermost op whose text `offset` is in."""
    found = _index(item).ops
    at = bisect_right(found, offset, key=lambda entry: entry[0].start) - 1
    while at >= 0:
        span, op = found[at]
        if span.contains(offset):
            return op
        # An enclosing op begins earlier; its parent chain is shorter than walking back over siblings.
        parent = op.parent_op()
        while parent is not None:
            spans = item.spans.ops.get(parent)
            if spans is not None and spans.whole.contains(offset):
                return parent
            parent = parent.parent_op()
        at = -1
    return None


def ops_of(item: Item) -> list[tuple[Span, Operation]]:
    """Return every op with its span, outer ops before inner ones, otherwise in text order."""
    return _index(item).ops


def block_mentions(item: Item) -> list[BlockMention]:
    """Return every mention of a block label, in text order."""
    found = [BlockMention(span, block, True) for block, span in item.spans.blocks.items()]
    found += [BlockMention(span, block, False) for block, span in item.spans.block_uses]
    return sorted(found, key=lambda m: m.span)


def base_name(name: str) -> str:
    """Return `%m` for `%m#1` and `%m:2`."""
    return name.partition("#")[0].partition(":")[0]


def _index(item: Item) -> _Index:
    index: _Index | None = item.memo.get("ide.mentions")
    if index is None:
        index = item.memo["ide.mentions"] = _make(item)
    return index


def _make(item: Item) -> _Index:
    spans = item.spans
    found = [Mention(place.span, value, True) for value, place in spans.values.items()]
    ops: list[tuple[Span, Operation]] = []
    for op, places in spans.ops.items():
        ops.append((places.whole, op))
        for operand, span in zip(op.operands, places.operands, strict=False):
            if span is not None:
                found.append(Mention(span, operand, False))
    found.sort(key=lambda m: (m.span.start, not m.defines))
    ops.sort(key=lambda entry: (entry[0].start, -entry[0].end))
    by_value: dict[SSAValue, list[Mention]] = {}
    for mention in found:
        by_value.setdefault(mention.value, []).append(mention)
    return _Index(found, by_value, ops)
