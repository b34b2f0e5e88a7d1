"""The values that an op at a place of the text may use: what dominates it, up to an op that is isolated."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from gpuasync_lsp.syntax.dominance import Dominance
from gpuasync_lsp.syntax.source import Item, PlacedItem
from gpuasync_lsp.text import Span


def visible_values(placed: PlacedItem, offset: int) -> Iterator[SSAValue]:
    """Yield the named values that an op written at `offset` may use, the nearest definition first.

    An op that is there already counts as the one that is being written: what it defines is not yielded. In a
    block that nothing branches to, everything is visible, as for MLIR.
    """
    item = placed.item
    for value in _visible(*_place(item, offset - placed.offset)):
        if item.spans.result(value) is not None:
            yield value


def _visible(block: Block | None, behind: Operation | None) -> Iterator[SSAValue]:
    while block is not None:
        yield from _defined(block, behind)
        region = block.parent
        if region is None:
            return
        blocks = list(region.blocks)
        if len(blocks) > 1:
            dominance = Dominance(region)
            here = blocks.index(block)
            for other in (*reversed(blocks[:here]), *blocks[here + 1 :]):
                if dominance.dominates(other, block):
                    yield from _defined(other, None)
        around = region.parent
        if around is None or around.has_trait(IsolatedFromAbove):
            return
        block, behind = around.parent, around


def _defined(block: Block, behind: Operation | None) -> Iterator[SSAValue]:
    """Yield what a block defines in front of the op `behind`, or at all, the last first."""
    op = block.last_op if behind is None else behind.prev_op
    while op is not None:
        yield from op.results
        op = op.prev_op
    yield from reversed(block.args)


def _place(item: Item, offset: int) -> tuple[Block | None, Operation | None]:
    """Return the block that an op at `offset` is in, and the op there or else the next; None at its end."""
    here, _ = item.spans.touching(item.ops, Span(offset, offset))
    if not here:
        return None, None
    op = here[0]
    while _is_in_body(item, op, offset):
        block = _block(item, op, offset)
        if block is None:
            break
        here, behind = item.spans.touching(item.spans.statements(block), Span(offset, offset))
        if not here:
            return block, behind
        op = here[0]
    return op.parent, op


def _is_in_body(item: Item, op: Operation, offset: int) -> bool:
    start = item.spans.op(op).start
    return item.text.count("{", start, offset) > item.text.count("}", start, offset)


def _block(item: Item, op: Operation, offset: int) -> Block | None:
    """Return the last block of the op that begins before `offset`; after its region's end, the next one."""
    blocks = [block for region in op.regions for block in region.blocks]
    for number in reversed(range(len(blocks))):
        block = blocks[number]
        first = item.spans.block_label(block) or _span(item, block.first_op)
        if first is None or first.start > offset:
            continue
        last = _span(item, block.last_op)
        is_left = last is not None and "}" in item.text[last.end : offset]
        return blocks[number + 1] if is_left and number + 1 < len(blocks) else block
    return blocks[0] if blocks else None


def _span(item: Item, op: Operation | None):
    return item.spans.op(op) if op is not None and op in item.spans.ops else None


def enclosing_op(placed: PlacedItem, offset: int) -> Operation | None:
    """Return the op in whose region an op at `offset` would be, None at the top level."""
    block, _ = _place(placed.item, offset - placed.offset)
    return None if block is None else block.parent_op()
