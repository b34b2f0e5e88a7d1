"""Aliases of streams and events.

An opaque handle, such as a block argument or a call result, may refer to one of several objects."""

from __future__ import annotations

from gpuasync_lsp.analysis.model.function import AsyncFunction, Handle, Kind
from gpuasync_lsp.analysis.model.state import State
from gpuasync_lsp.text.effort import spend


class Names:
    """Aliases between a function's handles; an object is identified by the handle that creates it."""

    def __init__(self, function: AsyncFunction) -> None:
        self._function = function
        self.count = len(function.handles)
        self.sharing = _sharing(function)
        """Per object, the opaque handles that may refer to it."""

    def of(self, thing: int) -> list[int]:
        """Return the opaque handles that may refer to the object `thing`."""
        return self.sharing.get(thing, [])

    def things(self, handle: Handle, state: State) -> int:
        """Return the mask of objects that `handle` may refer to."""
        known = state.holds.get(handle.index, 0) if handle.kind is Kind.OPAQUE else 0
        return known or 1 << handle.index

    def is_one(self, things: int) -> bool:
        """Return whether the mask `things` has one bit, other than that of a handle's previous object."""
        return things & (things - 1) == 0 and things < 1 << self.count

    def is_held(self, thing: int, state: State) -> bool:
        """Return whether some opaque handle may refer to the object `thing`."""
        return any(state.holds.get(name, 0) >> thing & 1 for name in self.of(thing))

    def renew(self, thing: int, state: State) -> None:
        """Create the object `thing` again: opaque handles keep referring to the previous object."""
        for name in self.of(thing):
            mask = state.holds.get(name, 0)
            if mask >> thing & 1:
                state.holds[name] = mask & ~(1 << thing) | 1 << (thing + self.count)

    def same(self, handle: Handle, state: State) -> list[int]:
        """Return `handle` and the handles that are known to refer to the same object."""
        if handle.kind is not Kind.OPAQUE and handle.index not in self.sharing:
            return [handle.index]
        things = self.things(handle, state)
        if not self.is_one(things):
            return [handle.index]
        thing = things.bit_length() - 1
        found = [name for name in self.of(thing) if state.holds.get(name, 0) == things]
        return [*dict.fromkeys((handle.index, thing, *found))]


def _sharing(function: AsyncFunction) -> dict[int, list[int]]:
    """Map each object to the opaque handles that it may flow into."""
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
