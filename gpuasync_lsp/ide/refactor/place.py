"""The op at which a refactoring is requested, with facts about the op."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from gpuasync_lsp.analysis import AsyncFunction, AsyncOp
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.mentions import Mention, mention_at, op_at
from gpuasync_lsp.releases import Profile, profile
from gpuasync_lsp.syntax.source import PlacedItem
from gpuasync_lsp.text import Span


@dataclass(frozen=True, slots=True)
class Place:
    """An op, the function around it, and the value under the cursor."""

    placed: PlacedItem
    offset: int
    """The cursor, or the start of the selection, relative to the item."""
    op: Operation
    mention: Mention | None
    function: AsyncFunction | None
    info: AsyncOp | None
    """The model's facts about the op, if it uses streams."""
    selection: Span
    """The selection, relative to the item; empty for a cursor."""
    profile: Profile
    makes_async: bool
    """Whether the user runs gpu-async-region, which makes sync ops async."""


def place_at(state: FileState, selection: Span) -> Place | None:
    """Return the op at the start of `selection`; None if no op is there."""
    placed = state.source.item_at(selection.start)
    if placed is None:
        return None
    local = selection.start - placed.offset
    op = op_at(placed.item, local)
    if op is None or op not in placed.item.spans.ops:
        return None
    functions = state.models(placed)
    function = next((f for f in functions if op is f.op or op in f.order), None)
    info = None if function is None else function.by_op.get(op)
    selected = selection.shift(-placed.offset)
    resolved = state.resolved
    return Place(
        placed,
        local,
        op,
        mention_at(placed.item, local),
        function,
        info,
        selected,
        profile(resolved.target.version),
        any("gpu-async-region" in step for step in resolved.settings.pipeline or ()),
    )
