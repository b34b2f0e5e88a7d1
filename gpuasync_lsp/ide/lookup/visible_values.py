"""The values that an op at a position may use: those that dominate it, up to the op isolated from above."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from gpuasync_lsp.syntax.dominance import Dominance
from gpuasync_lsp.syntax.source import Item, PlacedItem
from gpuasync_lsp.text import Span


def visible_values(placed: PlacedItem, offset: int) -> Iterator[SSAValue]:
    """Yield the named values that an op at `offset` may use, the nearest definition first.

    An op that exists at `offset` counts as the op being written: its results are excluded. In an unreachable
    block, everything is visible, as in MLIR.
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
    """Yield the values that a block defines before the op `behind` (None: all values), in reverse order."""
    op = block.last_op if behind is None else behind.prev_op
    while op is not None:
        yield from op.results
        op = op.prev_op
    yield from reversed(block.args)


def _place(item: Item, offset: int) -> tuple[Block | None, Operation | None]:
    """Return the block that contains `offset`, and the op there or after it; None at the block's end."""
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
    """Return the block of `op` that contains `offset`: the last one that begins before it.

    If a brace ends that block's region before `offset`, return the next block."""
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
    """Return the op whose region would contain an op at `offset`; None at the top level."""
    block, _ = _place(placed.item, offset - placed.offset)
    return None if block is None else block.parent_op()
