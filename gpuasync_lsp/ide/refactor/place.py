"""The op that a refactoring is asked for at, with what is known of it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from gpuasync_lsp.analysis import AsyncFunction, AsyncOp
from gpuasync_lsp.ide.mentions import Mention, mention_at, op_at
from gpuasync_lsp.ide.state import FileState
from gpuasync_lsp.syntax.source import PlacedItem


@dataclass(frozen=True, slots=True)
class Place:
    """An op, the function around it, and the value under the cursor."""

    placed: PlacedItem
    offset: int
    """Relative to the item."""
    op: Operation
    mention: Mention | None
    function: AsyncFunction | None
    info: AsyncOp | None
    """What the model knows of the op, if it takes part in streams."""


def place_at(state: FileState, offset: int) -> Place | None:
    """Return the op at `offset`, or None where no op is."""
    placed = state.source.item_at(offset)
    if placed is None:
        return None
    local = offset - placed.offset
    op = op_at(placed.item, local)
    if op is None or op not in placed.item.spans.ops:
        return None
    functions = state.models(placed)
    function = next((f for f in functions if op in f.by_op or op in f.order), None)
    info = None if function is None else function.by_op.get(op)
    return Place(placed, local, op, mention_at(placed.item, local), function, info)
