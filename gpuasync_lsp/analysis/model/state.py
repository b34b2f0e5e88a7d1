"""The facts at one point of a function, and how they join where paths meet.

Ordering is kept as vector clocks: per stream, event and host, the mask of device accesses that are done
before what comes next there. Of those that may have been started, the rest may still run. What the host knows
holds for every stream, as the host starts all work. Where paths join, an access may have been started if one
path says so, and is done if each path that starts it says so. For handles, bit 0 says that it may be alive,
bit n+1 that wait n may have destroyed it. An opaque handle is a name: `holds` says for what.
"""

from __future__ import annotations

from gpuasync_lsp.analysis.model.memory.buffers import Place
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART

LIVE = 1
PLACES = 8
"""Of how many places a name may be before only their buffers are kept."""
RESTARTS = 64
"""How many restarted accesses may wait to be taken out of the clocks."""


class State:
    """Facts at one point."""

    __slots__ = (
        "bound",
        "done",
        "freed",
        "fresh",
        "holds",
        "host",
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
        """What may have become of each handle and event."""
        self.done: dict[int, int] = {}
        """Per handle and event: device accesses done before what comes next on it, besides `host`; none if
        absent."""
        self.holds: dict[int, int] = {}
        """Per opaque handle: what it may be a name for, as bits: of the handle that is that thing, or
        shifted by the number of handles, of one that has been made again since."""
        self.host = 0
        """Device accesses that are done, as the host knows."""
        self.seen = 0
        """Device accesses that may have been started."""
        self.written = self.surely = 0
        """Writes that may have been done, and those that have been done on each path."""
        self.freed = [0] * buffers
        """Per buffer: what may have freed it."""
        self.owned = 0
        """Device buffers that may have been allocated and not yet freed."""
        self.many = 0
        """Earlier buffers that may stand for several, of which nothing is known."""
        self.bound: dict[int, frozenset[Place]] = {}
        """Per name for memory: what it may stand for."""
        self.fresh = self.stale = 0
        """Accesses that may have been started in this iteration of the loop whose values their places depend
        on, and in an earlier one."""
        self.where: dict[int, frozenset[Place]] = {}
        """Per access by a name: what that stood for when it was started."""
        self.restarted: list[int] = []
        """Accesses started once more, around a loop: done no longer, which `done` learns when it is read."""
        self.unfinished: dict[int, tuple[int, int]] = {}
        """Per handle on which a kernel was launched last: the accesses that may not be done when a dependent
        launch starts there, and those of the last kernel among them."""
        self.stamps: dict[int, int] = {}
        """Per handle and event: how many of `restarted` its mask knows; 0 if absent."""

    def copy(self) -> State:
        self.settle()
        twin = State.__new__(State)
        twin.life, twin.done, twin.freed = self.life.copy(), self.done.copy(), self.freed.copy()
        twin.holds = self.holds.copy()
        twin.host, twin.seen, twin.written = self.host, self.seen, self.written
        twin.surely, twin.owned, twin.many = self.surely, self.owned, self.many
        twin.fresh, twin.stale = self.fresh, self.stale
        twin.bound, twin.where = self.bound.copy(), self.where.copy()
        twin.unfinished = self.unfinished.copy()
        twin.restarted, twin.stamps = [], {}
        return twin

    def ordered(self, index: int) -> int:
        """Return the accesses that are done before what comes next on a handle or event."""
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

    def start(self, bits: int) -> None:
        """Device accesses begin."""
        again = self.seen & bits
        if again:
            self.host &= ~again
            self.restarted.append(again)
            if len(self.restarted) > RESTARTS:
                self.settle()
        self.seen |= bits
        self.fresh |= bits
        self.stale &= ~bits

    def renew(self, bits: int) -> None:
        """A value gets a new value that the places of these accesses depend on."""
        self.stale |= self.fresh & bits
        self.fresh &= ~bits

    def settle(self) -> None:
        """Let every mask know what was started again."""
        if not self.restarted:
            return
        since = [0]
        for again in reversed(self.restarted):
            since.append(since[-1] | again)
        since.reverse()
        stamps, done = self.stamps, self.done
        for index, mask in done.items():
            again = since[stamps.get(index, 0)]
            if mask & again:  # Others stay what they are, which many states share.
                done[index] = mask & ~again
        self.restarted, self.stamps = [], {}

    def join(self, other: State) -> bool:
        """Add the facts of `other`; return whether any is new. Both are settled, as copies are."""
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
    """Return `places`, or, if there are too many, their buffers: a loop may move a view on and on."""
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
