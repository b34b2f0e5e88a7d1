"""The part of the facts at a point in which two runs of a function may differ.

Facts about one access, stream, event, write or buffer do not depend on those about others, but for names that
stand for several. So where runs differ in some, these are carried on alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuasync_lsp.analysis.model.function import AsyncFunction, bits_of
from gpuasync_lsp.analysis.model.memory.buffers import Buffer
from gpuasync_lsp.analysis.model.state import State


@dataclass(slots=True)
class Facts:
    """What is known of some accesses, streams, events, writes and buffers at one point (see `State`)."""

    host: int = 0
    seen: int = 0
    fresh: int = 0
    stale: int = 0
    done: dict[int, int] = field(default_factory=dict[int, int])
    """Besides what the host knows."""
    life: dict[int, int] = field(default_factory=dict[int, int])
    freed: dict[int, int] = field(default_factory=dict[int, int])
    owned: int = 0
    written: int = 0
    surely: int = 0

    def copy(self) -> Facts:
        """Return the same facts, to go on from."""
        return Facts(
            self.host,
            self.seen,
            self.fresh,
            self.stale,
            self.done.copy(),
            self.life.copy(),
            self.freed.copy(),
            self.owned,
            self.written,
            self.surely,
        )

    def pending(self, after: int) -> int:
        """Return the accesses that may still run when what was done on these streams and events is."""
        done = self.host
        for index in bits_of(after):
            done |= self.done.get(index, 0)
        return self.seen & ~done

    def writes(self, other: Facts) -> int:
        """Return the writes of which `other` says something else, as a mask of their sites."""
        return self.written ^ other.written | self.surely ^ other.surely

    def join(self, other: Facts) -> bool:
        """Add the facts of another path, as `State.join` does; tell whether anything is new."""
        before = self.copy()
        unseen, missing = ~self.seen, ~other.seen
        mine, theirs, neither = self.host | unseen, other.host | missing, ~(unseen & missing)
        self.done = {
            index: mask
            for index in self.done.keys() | other.done.keys()
            if (mask := (self.done.get(index, 0) | mine) & (other.done.get(index, 0) | theirs) & neither)
        }
        self.host = mine & theirs & neither
        self.done = {index: left for index, mask in self.done.items() if (left := mask & ~self.host)}
        self.seen |= other.seen
        self.fresh |= other.fresh
        self.stale |= other.stale
        for table, more in ((self.life, other.life), (self.freed, other.freed)):
            for index, mask in more.items():
                table[index] = table.get(index, 0) | mask
        self.owned |= other.owned
        self.written |= other.written
        self.surely &= other.surely
        return self != before


@dataclass(slots=True)
class Differing:
    """What two runs may differ in."""

    accesses: int = 0
    sites: int = 0
    """Writes, by their sites."""
    lives: set[int] = field(default_factory=set[int])
    """Streams and events whose lives differ, by their numbers."""
    buffers: set[Buffer] = field(default_factory=set[Buffer])
    """Buffers that are freed, or not, or by others."""
    anew: int = 0
    """Streams and events of which nothing was kept in the run before; of these all accesses are told."""

    def part(self, state: State) -> Facts:
        """Return what `state` says of them."""
        accesses, host = self.accesses, state.host
        mine = sum(1 << buffer.index for buffer in self.buffers)
        left = accesses & ~host
        return Facts(
            host & accesses,
            state.seen & accesses,
            state.fresh & accesses,
            state.stale & accesses,
            {
                index: known
                for index, mask in state.done.items()
                if (known := mask & (left if not self.anew >> index & 1 else ~host))
            },
            {index: state.life[index] for index in self.lives},
            {buffer.index: state.freed[buffer.index] for buffer in self.buffers},
            state.owned & mine,
            state.written & self.sites,
            state.surely & self.sites,
        )

    def give(self, facts: Facts, state: State) -> None:
        """Let `state` say `facts` of them, and of everything else what it says."""
        others = ~self.accesses
        state.host = state.host & others | facts.host
        state.seen = state.seen & others | facts.seen
        state.fresh = state.fresh & others | facts.fresh
        state.stale = state.stale & others | facts.stale
        done = state.done
        for index in [*done.keys() | facts.done.keys()]:
            before, known = done.get(index, 0), facts.done.get(index, 0)
            mask = known if self.anew >> index & 1 else before & others | known
            if mask != before:
                done[index] = mask
        for index, life in facts.life.items():
            state.life[index] = life
        for index, freed in facts.freed.items():
            state.freed[index] = freed
        state.owned = state.owned & ~sum(1 << buffer.index for buffer in self.buffers) | facts.owned
        state.written = state.written & ~self.sites | facts.written
        state.surely = state.surely & ~self.sites | facts.surely

    def others(self, old: Facts, new: Facts) -> int:
        """Return the accesses of which `new` says something else than `old`."""
        found = old.host ^ new.host | old.seen ^ new.seen
        found |= old.fresh ^ new.fresh | old.stale ^ new.stale
        if old.done != new.done:
            for index in old.done.keys() | new.done.keys():
                found |= old.done.get(index, 0) ^ new.done.get(index, 0)
        return found & self.accesses

    def add(self, function: AsyncFunction, old: State, new: State, wanted: int) -> bool:
        """Add what `new` says otherwise than `old`, of streams and events what is `wanted` of both; tell
        whether nothing else is another: what names stand for, on which everything may depend."""
        if any(getattr(old, name) != getattr(new, name) for name in ("holds", "bound", "where", "many")):
            return False
        self.accesses |= old.host ^ new.host | old.seen ^ new.seen
        self.accesses |= old.fresh ^ new.fresh | old.stale ^ new.stale
        for index in old.done.keys() | new.done.keys():
            if wanted >> index & 1:
                self.accesses |= (old.done.get(index, 0) | old.host) ^ (new.done.get(index, 0) | new.host)
        self.sites |= old.written ^ new.written | old.surely ^ new.surely
        self.lives.update(_others(old.life, new.life))
        self.buffers.update(function.buffers[index] for index in _others(old.freed, new.freed))
        self.buffers.update(function.buffers[index] for index in bits_of(old.owned ^ new.owned))
        return True


def _others(old: list[int], new: list[int]) -> Iterable[int]:
    if old == new:
        return ()
    return [index for index, (before, now) in enumerate(zip(old, new, strict=True)) if before != now]
