"""Which opaque handles are names for which things: a block argument, or what a call returns, may be one of
several streams or events."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.function import AsyncFunction, Handle, Kind
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.text.effort import spend


class Names:
    """The names that the handles of a function may be for each other."""

    def __init__(self, function: AsyncFunction) -> None:
        self._function = function
        self.count = len(function.handles)
        self.sharing = _sharing(function)
        """Per handle that is some thing itself: the opaque handles that may be names for it."""

    def of(self, thing: int) -> list[int]:
        """Return the opaque handles that may be names for what handle `thing` itself is."""
        return self.sharing.get(thing, [])

    def things(self, handle: Handle, state: State) -> int:
        """Return what `handle` may be a name for, as bits."""
        known = state.holds.get(handle.index, 0) if handle.kind is Kind.OPAQUE else 0
        return known or 1 << handle.index

    def is_one(self, things: int) -> bool:
        """Return whether `things` is a single one, which has not been made again since."""
        return things & (things - 1) == 0 and things < 1 << self.count

    def is_held(self, thing: int, state: State) -> bool:
        """Return whether something may be a name for what handle `thing` itself is."""
        return any(state.holds.get(name, 0) >> thing & 1 for name in self.of(thing))

    def renew(self, thing: int, state: State) -> None:
        """The thing that handle `thing` itself is gets made again: other names are for the earlier one."""
        for name in self.of(thing):
            mask = state.holds.get(name, 0)
            if mask >> thing & 1:
                state.holds[name] = mask & ~(1 << thing) | 1 << (thing + self.count)

    def same(self, handle: Handle, state: State) -> list[int]:
        """Return the handles that are surely the same thing as `handle`, itself among them."""
        if handle.kind is not Kind.OPAQUE and handle.index not in self.sharing:
            return [handle.index]
        things = self.things(handle, state)
        if not self.is_one(things):
            return [handle.index]
        thing = things.bit_length() - 1
        found = [name for name in self.of(thing) if state.holds.get(name, 0) == things]
        return [*dict.fromkeys((handle.index, thing, *found))]


def _sharing(function: AsyncFunction) -> dict[int, list[int]]:
    """Follow what opaque handles get their value from."""
    opaque = [handle for handle in function.handles if handle.kind is Kind.OPAQUE]
    things = {handle: {handle.index} for handle in opaque}
    changed = True
    while changed:
        changed = False
        spend(len(opaque))
        for handle in opaque:
            known = things[handle]
            before = len(known)
            for source in handle.sources:
                if isinstance(source, Handle):
                    known |= things.get(source, {source.index})
            changed = changed or len(known) != before
    found: dict[int, list[int]] = {}
    for handle in opaque:
        for thing in things[handle]:
            if thing != handle.index:
                found.setdefault(thing, []).append(handle.index)
    return found
