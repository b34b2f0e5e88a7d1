"""Counts the streams and events that gpu-to-llvm creates in a function, before or after the pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from gpuasync_lsp.analysis import AsyncFunction, FileContext, Kind, analyze
from gpuasync_lsp.analysis.model.function import Action
from gpuasync_lsp.ide.dumps.canonical import Unit
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax import Item

_STREAM = "call @mgpuStreamCreate("
_EVENT = "call @mgpuEventCreate("


class Handles(NamedTuple):
    """The numbers of stream and event creations in a function; a creation in a loop counts once."""

    streams: int
    events: int


def handles(
    item: Item, units: tuple[Unit, ...], context: FileContext, profile: Profile
) -> Mapping[str, Handles]:
    """Return the numbers for each function of an item, by symbol; memoized in the item."""
    known: tuple[FileContext, int, Mapping[str, Handles]] | None = item.memo.get(_HANDLES)
    if known is not None and known[0] is context and known[1] == profile.version:
        return known[2]
    found: dict[str, Handles] = {}
    if _STREAM in item.text or _EVENT in item.text:
        for unit in units:
            if not unit.is_holder:
                text = unit.span.of(item.text)
                found[unit.symbol] = Handles(text.count(_STREAM), text.count(_EVENT))
    for model in analyze(item, context, profile):
        made = _made(model)
        before = found.get(model.name, Handles(0, 0))
        found[model.name] = Handles(made.streams + before.streams, made.events + before.events)
    found = {name: each for name, each in found.items() if any(each)}
    item.memo[_HANDLES] = (context, profile.version, found)
    return found


_HANDLES = "ide.dumps.handles"


def _made(model: AsyncFunction) -> Handles:
    streams = sum(handle.kind is Kind.STREAM for handle in model.handles)
    events = {step.event for node in model.nodes for step in node.steps if step.action is Action.RECORD}
    return Handles(streams, len(events))


def difference(before: Mapping[str, Handles], after: Mapping[str, Handles]) -> dict[str, tuple[int, int]]:
    """Return the numbers of added and removed streams and events: `{"streams": (1, 0), ...}`."""
    added, removed = Counter[str](), Counter[str]()
    for name in {**before, **after}:
        old, new = before.get(name, Handles(0, 0)), after.get(name, Handles(0, 0))
        for kind, was, is_now in zip(Handles._fields, old, new, strict=True):
            added[kind] += max(0, is_now - was)
            removed[kind] += max(0, was - is_now)
    return {kind: (added[kind], removed[kind]) for kind in Handles._fields}
