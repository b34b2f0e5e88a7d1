"""The facts at one point of a function, and how they are joined where paths meet.

Ordering is stored as vector clocks: each stream, each event and the host has a mask of device accesses that
happen before its next work. Other accesses that may have started may still be running. All clocks include the
host's clock, because the host enqueues all work. At a join, an access may have started if it may have started
on one path, and is done if it is done on each path that starts it. In the state of a handle, bit 0 means that
the object may be alive, and each wait has a bit that means that it may have destroyed the object.
"""

from __future__ import annotations

from gpuasync_lsp.analysis.model.memory.buffers import Place
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART

LIVE = 1
PLACES = 8
"""The maximum number of `Place`s recorded for a value; if there are more, only their buffers are."""
RESTARTS = 64
"""The number of restarts after which restarted accesses are removed from the clocks."""


class State:
    """The facts at one point of a function."""

    __slots__ = (
        "bound",
        "done",
        "freed",
        "fresh",
        "holds",
        "host",
        "kept",
        "life",
        "many",
        "owned",
        "restarted",
        "seen",
        "stale",
        "stamps",
        "surely",
        "unfinished",
        "where",
        "written",
    )

    def __init__(self, handles: int, events: int, buffers: int) -> None:
        self.life = [0] * (handles + events)
        """The mask of possible states of each handle and event."""
        self.done: dict[int, int] = {}
        """The clock of each handle and event: device accesses done before its next work.

        Accesses in `host` may be missing from an entry. Without an entry, the clock is `host`."""
        self.holds: dict[int, int] = {}
        """Per opaque handle, the mask of handles that it may refer to.

        A bit shifted by the number of handles means the object that this handle had before it was created
        again."""
        self.host = 0
        """The host's clock: device accesses that happen before the host's next op."""
        self.seen = 0
        """Device accesses that may have started."""
        self.written = self.surely = 0
        """Writes that may have happened, and (`surely`) those that have happened on every path."""
        self.freed = [0] * buffers
        """Per buffer, the accesses that may have freed it."""
        self.owned = 0
        """Device buffers that may have been allocated and not yet freed."""
        self.many = 0
        """Earlier buffers that may each represent several buffers, so that nothing is known about them."""
        self.bound: dict[int, frozenset[Place]] = {}
        """Per memref that may refer to several buffers, the `Place`s that it may refer to at this point."""
        self.fresh = self.stale = 0
        """Accesses that may have started with their `Place`s' current values, or (`stale`) earlier ones."""
        self.where: dict[int, frozenset[Place]] = {}
        """Per access through a memref that may refer to several buffers, its `Place`s when it started."""
        self.kept = 0
        """Accesses of which a path search follows an earlier run, so that later runs change nothing."""
        self.restarted: list[int] = []
        """Accesses that a loop has started again, so that they are no longer done.

        They are removed from a clock in `done` when that clock is read."""
        self.unfinished: dict[int, tuple[int, int]] = {}
        """Per stream whose last work is a kernel launch, the accesses that may be in progress when a
        dependent launch starts.

        The second mask contains only those of the last kernel."""
        self.stamps: dict[int, int] = {}
        """Per handle and event, the number of entries of `restarted` that its clock reflects; 0 if absent."""

    def copy(self) -> State:
        self.settle()
        twin = State.__new__(State)
        twin.life, twin.done, twin.freed = self.life.copy(), self.done.copy(), self.freed.copy()
        twin.holds = self.holds.copy()
        twin.host, twin.seen, twin.written = self.host, self.seen, self.written
        twin.surely, twin.owned, twin.many = self.surely, self.owned, self.many
        twin.fresh, twin.stale, twin.kept = self.fresh, self.stale, self.kept
        twin.bound, twin.where = self.bound.copy(), self.where.copy()
        twin.unfinished = self.unfinished.copy()
        twin.restarted, twin.stamps = [], {}
        return twin

    def ordered(self, index: int) -> int:
        """Return the clock of a handle or event: the accesses that are done before its next work."""
        mask = self.done.get(index, 0)
        if self.restarted:
            for again in self.restarted[self.stamps.get(index, 0) :]:
                mask &= ~again
            self.set_ordered(index, mask)
        return mask | self.host

    def set_ordered(self, index: int, mask: int) -> None:
        self.done[index] = mask
        if self.restarted:
            self.stamps[index] = len(self.restarted)

    def start(self, bits: int) -> int:
        """Start the accesses in `bits`, except those in `kept`; return those that start.

        Those that a loop starts again are no longer done."""
        bits &= ~(self.kept & self.seen)
        again = self.seen & bits
        if again:
            self.host &= ~again
            self.restarted.append(again)
            if len(self.restarted) > RESTARTS:
                self.settle()
        self.seen |= bits
        self.fresh |= bits
        self.stale &= ~bits
        return bits

    def renew(self, bits: int) -> None:
        """Mark the accesses in `bits` as stale, since a value that their `Place`s depend on has changed."""
        self.stale |= self.fresh & bits
        self.fresh &= ~bits

    def settle(self) -> None:
        """Remove restarted accesses from all clocks."""
        if not self.restarted:
            return
        since = [0]
        for again in reversed(self.restarted):
            since.append(since[-1] | again)
        since.reverse()
        stamps, done = self.stamps, self.done
        for index, mask in done.items():
            again = since[stamps.get(index, 0)]
            if mask & again:  # The other masks are not written, because many states share them.
                done[index] = mask & ~again
        self.restarted, self.stamps = [], {}

    def join(self, other: State) -> bool:
        """Join the facts of `other` into this state; return whether this state changes.

        Both states must be settled, as copies are."""
        changed = _unite(self.life, other.life) | _unite(self.freed, other.freed)
        changed |= self._join_holds(other)
        for index, (older, last) in other.unfinished.items():
            mine = self.unfinished.get(index, (0, 0))
            if (older & ~mine[0]) | (last & ~mine[1]):
                self.unfinished[index] = mine[0] | older, mine[1] | last
                changed = True
        changed |= _unite_places(self.bound, other.bound) | _unite_places(self.where, other.where)
        if (other.fresh & ~self.fresh) | (other.stale & ~self.stale) | (other.owned & ~self.owned):
            changed = True
        if other.many & ~self.many:
            changed = True
        self.many |= other.many
        self.fresh |= other.fresh
        self.stale |= other.stale
        self.owned |= other.owned
        if self.surely & ~other.surely:
            changed = True
        self.surely &= other.surely
        unseen, missing = ~self.seen, ~other.seen
        if self.done != other.done:
            for index in self.done.keys() | other.done.keys():
                mine, theirs = self.done.get(index, 0), other.done.get(index, 0)
                if mine != theirs:
                    mine |= self.host | unseen
                    both = mine & (theirs | other.host | missing)
                    changed = changed or both != mine
                    self.done[index] = both & ~(unseen & missing)
        known = self.host | unseen
        host = known & (other.host | missing)
        if host != known or other.seen & unseen or other.written & ~self.written:
            changed = True
        self.host = host & ~(unseen & missing)
        self.seen |= other.seen
        self.written |= other.written
        return changed

    def _join_holds(self, other: State) -> bool:
        if self.holds == other.holds:
            return False
        changed = False
        for index, mask in other.holds.items():
            mine = self.holds.get(index, 0)
            if mask & ~mine:
                self.holds[index] = mine | mask
                changed = True
        return changed


def _unite_places(mine: dict[int, frozenset[Place]], theirs: dict[int, frozenset[Place]]) -> bool:
    if mine == theirs:
        return False
    changed = False
    for index, places in theirs.items():
        known = mine.get(index, frozenset[Place]())
        if not places <= known:
            mine[index] = few(known | places)
            changed = changed or mine[index] != known
    return changed


def few(places: frozenset[Place]) -> frozenset[Place]:
    """Return `places`, or only their buffers if there are too many, as for a view that advances in a loop."""
    if len(places) <= PLACES:
        return places
    return frozenset(Place(buffer, UNKNOWN_PART) for buffer, _ in places)


def _unite(mine: list[int], theirs: list[int]) -> bool:
    if mine == theirs:
        return False
    changed = False
    for index, mask in enumerate(theirs):
        if mask & ~mine[index]:
            mine[index] |= mask
            changed = True
    return changed
