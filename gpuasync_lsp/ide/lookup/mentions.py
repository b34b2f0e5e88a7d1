"""Mentions of the values, ops and blocks of an item in its text; offsets are relative to the item."""

from __future__ import annotations

import re
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.syntax.source import Item
from gpuasync_lsp.text import Span

_NO_NAME = re.compile(r'[\n=,()\[\]{}<>"]')
"""Matches characters that do not occur in a result's name or between it and its count (`%m : 2`)."""


class Mention(NamedTuple):
    """A definition or use of a value in the text."""

    span: Span
    value: SSAValue
    defines: bool


class BlockMention(NamedTuple):
    """A definition or use of a block in the text."""

    span: Span
    block: Block
    defines: bool


def mentions(item: Item) -> list[Mention]:
    """Return every mention of a value, in text order; memoized by item."""
    found: list[Mention] | None = item.memo.get("ide.mentions")
    if found is None:
        found = item.memo["ide.mentions"] = _all_mentions(item)
    return found


def mentions_of(item: Item, value: SSAValue) -> list[Mention]:
    """Return the mentions of one value, in text order, its definition included."""
    definition = item.spans.result(value)
    found = [] if definition is None else [Mention(definition, value, True)]
    found += [Mention(span, value, False) for span in item.spans.uses(value)]
    return sorted(found, key=lambda m: (m.span.start, not m.defines))


def mention_at(item: Item, offset: int) -> Mention | None:
    """Return the mention of a value that contains `offset` or ends there."""
    op = op_at(item, offset)
    if op is None:
        return None
    # Results of one op may share a definition (`%m:2`); the first result represents all of them.
    values = [*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)]
    # An undefined value counts as defined at its first use.
    defined = ((item.spans.result(value), value) for value in (*values, *op.operands))
    found = [Mention(span, value, True) for span, value in defined if span is not None]
    operands = zip(op.operands, item.spans.ops[op].operands, strict=False)
    found += [Mention(span, value, False) for value, span in operands if span is not None]
    here = max((m for m in found if m.span.contains(offset)), key=lambda m: m.span.start, default=None)
    return here or _of_no_op(item, offset)


def _of_no_op(item: Item, offset: int) -> Mention | None:
    """Return the mention at `offset` of a result name that exceeds the number of results of its op."""
    begin = item.text.rfind("%", 0, offset + 1)
    if begin < 0 or _NO_NAME.search(item.text, begin, offset) is not None:
        return None  # The common case, in which no values need to be searched.
    for value, place in item.spans.values.items():
        if place.span.contains(offset):
            return Mention(place.span, value, True)
    return None


def op_at(item: Item, offset: int) -> Operation | None:
    """Return the innermost op whose text contains `offset`."""
    return item.spans.innermost(item.ops, offset)


def block_mentions(item: Item) -> list[BlockMention]:
    """Return every mention of a block label, in text order."""
    found = [BlockMention(span, block, True) for block, span in item.spans.blocks.items()]
    found += [BlockMention(span, block, False) for block, span in item.spans.block_uses]
    return sorted(found, key=lambda m: m.span)


def base_name(name: str) -> str:
    """Return `%m` for `%m#1` and `%m:2`."""
    return name.partition("#")[0].partition(":")[0]


def _all_mentions(item: Item) -> list[Mention]:
    spans = item.spans
    found = [Mention(place.span, value, True) for value, place in spans.values.items()]
    for op, places in spans.ops.items():
        for operand, span in zip(op.operands, places.operands, strict=False):
            if span is not None:
                found.append(Mention(span, operand, False))
    found.sort(key=lambda m: (m.span.start, not m.defines))
    return found
